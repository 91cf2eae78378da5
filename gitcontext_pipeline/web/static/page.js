// What a keyboard and a stream add to the page; everything works without it.
"use strict";

const one = (selector) => document.querySelector(selector);
const cards = () => [...document.querySelectorAll(".card")];

function move(step) {
  const all = cards();
  const at = all.findIndex((card) => card.contains(document.activeElement));
  const next = all[at < 0 ? (step > 0 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, at + step))];
  if (next) {
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: "start" });
  }
}

function open() {
  const from = document.activeElement.closest(".card") || cards()[0] || document;
  const link = from.querySelector("a.open");
  if (link) location.assign(link.href);
}

function keys(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const box = one("#q"), help = one("#keys");
  const typing = event.target.matches("input[type=search], input[type=password], textarea, select");
  if (event.key === "Escape" && typing) return event.target.blur();
  if (typing || (help && help.open)) return;
  const does = {
    "/": () => box && (box.focus(), box.select()),
    "?": () => help && help.showModal(),
    j: () => move(1), ArrowRight: () => move(1),
    k: () => move(-1), ArrowLeft: () => move(-1),
    o: open,
  }[event.key];
  const scrolls = event.key.startsWith("Arrow") && !event.target.matches(".card");
  if (does && !scrolls && cards().length + (event.key === "/" || event.key === "?") > 0) {
    event.preventDefault();
    does();
  }
}

// The explanation: sentences appear dimmed while they are unverified; what was verified takes their place.
function explain() {
  const answer = one("#answer"), place = one("#explained");
  if (!answer || place.childElementCount) return;
  one("#explain")?.remove();
  const section = document.createElement("section");
  section.className = "explanation unverified";
  const heading = section.appendChild(document.createElement("h2"));
  heading.textContent = "Explanation";
  const told = section.appendChild(document.createElement("p"));
  told.className = "aside";
  told.textContent = "The model is reading the evidence…";
  const list = section.appendChild(document.createElement("ol"));
  list.className = "sentences";
  place.replaceChildren(section);
  const source = new EventSource(answer.dataset.explanation);
  const end = (html) => {
    source.close();
    place.innerHTML = html; // made by the server's own template, which escapes
  };
  source.addEventListener("unverified", (event) => {
    told.textContent = "Unverified: what the model is writing, before it is checked.";
    list.replaceChildren(...JSON.parse(event.data).map((text) => {
      const item = document.createElement("li");
      item.textContent = text;
      return item;
    }));
  });
  source.addEventListener("verified", (event) => end(event.data));
  source.addEventListener("failed", (event) => end(event.data));
  source.onerror = () => {
    source.close();
    section.classList.remove("unverified");
    list.remove();
    told.textContent = "No explanation: the server did not finish it. Ask again in a minute.";
  };
}

function offerCopy() {
  const link = one("#markdown");
  if (!link || !navigator.clipboard) return;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "linklike";
  button.textContent = "Copy as Markdown";
  button.addEventListener("click", async () => {
    try {
      const reply = await fetch(link.href);
      if (!reply.ok) throw new Error(reply.status);
      await navigator.clipboard.writeText(await reply.text());
      button.textContent = "Copied";
    } catch {
      location.assign(link.href);
    }
    setTimeout(() => { button.textContent = "Copy as Markdown"; }, 2000);
  });
  link.before(button);
}

document.addEventListener("keydown", keys);
one("#ask")?.addEventListener("submit", (event) => {
  const form = event.target, wanted = form.elements.explain;
  if (!wanted || !wanted.checked || !form.elements.q.value.trim()) return;
  event.preventDefault(); // the evidence first, and the explanation as it comes
  const fields = new URLSearchParams(new FormData(form));
  fields.delete("explain");
  location.assign(`/?${fields}#explain`);
});
one("#explain")?.addEventListener("click", (event) => {
  event.preventDefault();
  explain();
});
if (location.hash === "#explain") {
  const wanted = one("#ask")?.elements.explain;
  if (wanted) wanted.checked = true;
  explain();
}
if (one("#hint") && matchMedia("(hover: hover)").matches) one("#hint").hidden = false;
offerCopy();
