"""How the definitions of a language are named: one function per way of finding a name in a syntax tree.

A name is dotted (`Engine.handle`) where the syntax itself tells the owner: a Go receiver, `Type::method` in C++.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

_FIELDS = ("name", "left", "key", "property", "declarator", "pattern")
_TYPE_ARGUMENTS = re.compile(r"<[^<>]*>|\[[^\[\]]*\]|\([^()]*\)")
_EXPORTED_TYPE = re.compile(r"(?:class|struct)\s+\w+\s+(\w+)\s*(?:final\s*)?(?::[^:(]|\{)")
"""C++'s grammar takes `class EXPORT_MACRO Name {` for a function."""
_DECLARATORS = frozenset(
    {
        "function_declarator",
        "pointer_declarator",
        "reference_declarator",
        "parenthesized_declarator",
        "init_declarator",
        "array_declarator",
    }
)


def text_of(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def by_field(node: Node) -> str | None:
    """The child that the grammar calls the name, or what an assignment assigns to."""
    for field in _FIELDS:
        child = node.child_by_field_name(field)
        if child is not None:
            return plain(text_of(child))
    return None


def plain(written: str) -> str | None:
    """`"key"` -> `key`, `Depot::Parcel` -> `Depot.Parcel`, `Queue.prototype.add` -> `Queue.add`; None when too long."""
    name = written.strip().strip("\"'`").replace("::", ".").replace(".prototype.", ".").lstrip("$")
    for prefix in ("module.exports.", "exports.", "this.", "self."):
        name = name.removeprefix(prefix)
    name = " ".join(name.split())
    return name if 0 < len(name) <= 120 else None


def without_type_arguments(written: str) -> str:
    """`Map<K, Vec<V>>` -> `Map`, innermost brackets first."""
    shorter = _TYPE_ARGUMENTS.sub("", written)
    while shorter != written:
        written, shorter = shorter, _TYPE_ARGUMENTS.sub("", shorter)
    return written


def go(node: Node) -> str | None:
    """Methods by their receiver's type; a group of constants or variables has a name only if it declares just one."""
    if node.type in {"const_declaration", "var_declaration"}:
        specs = [child for child in node.named_children if child.type != "comment"]
        if len(specs) == 1 and specs[0].type == "var_spec_list":
            specs = [child for child in specs[0].named_children if child.type != "comment"]
        return by_field(specs[0]) if len(specs) == 1 else None
    name = by_field(node)
    receiver = node.child_by_field_name("receiver")
    if name is None or receiver is None:
        return name
    owner = without_type_arguments(text_of(receiver).strip("()")).split()
    return f"{owner[-1].lstrip('*')}.{name}" if owner else name


def rust(node: Node) -> str | None:
    """An `impl` block is named for its type, whichever trait it implements."""
    if node.type != "impl_item":
        return by_field(node)
    implemented = node.child_by_field_name("type")
    if implemented is None:
        return None
    written = without_type_arguments(text_of(implemented)).split("::")[-1]
    words = re.findall(r"\w+", written)
    return words[-1] if words else None


def c_family(node: Node) -> str | None:
    """The name is at the bottom of nested declarators; `Type::method` keeps the type and drops namespaces before it."""
    if node.type not in {"function_definition", "declaration", "field_declaration", "type_definition"}:
        return by_field(node)
    inner = node.child_by_field_name("declarator")
    while inner is not None and inner.type in _DECLARATORS:
        deeper = inner.child_by_field_name("declarator")
        if deeper is None:
            deeper = next((child for child in inner.named_children if "declarator" in child.type), None)
            deeper = deeper or next((child for child in inner.named_children if "identifier" in child.type), None)
        inner = deeper
    if inner is None:
        return None
    exported = _EXPORTED_TYPE.match(text_of(node)[:500]) if node.type == "function_definition" else None
    if exported is not None:
        return exported.group(1)
    written = text_of(inner)
    if inner.type == "qualified_identifier" and "operator" not in written:
        written = "::".join(without_type_arguments(written).split("::")[-2:])
    elif inner.type == "qualified_identifier":
        owner, _, operator = written.partition("::operator")
        written = f"{without_type_arguments(owner).split('::')[-1]}::operator{operator}"
    return plain(written)


def swift(node: Node) -> str | None:
    """Initialisers have no name field; an extension is named for the type it extends."""
    if node.type == "init_declaration":
        return "init"
    if node.type == "deinit_declaration":
        return "deinit"
    name = by_field(node)
    return without_type_arguments(name).split(".")[-1] if name else None


def kotlin(node: Node) -> str | None:
    """`fun Type.extension()` belongs to the type it extends."""
    if node.type == "property_declaration":
        variable = next((child for child in node.named_children if child.type == "variable_declaration"), None)
        first = variable.named_children[:1] if variable is not None else []
        return plain(text_of(first[0])) if first else None
    if node.type in {"secondary_constructor", "anonymous_initializer"}:
        return "constructor" if node.type == "secondary_constructor" else "init"
    name = by_field(node)
    if name is None or node.type != "function_declaration":
        return name
    for child in node.children:
        if child.type == "identifier":
            break
        if child.type == "user_type":
            return f"{without_type_arguments(text_of(child)).split('.')[-1]}.{name}"
    return name


def php(node: Node) -> str | None:
    if node.type == "const_declaration":
        elements = [child for child in node.named_children if child.type == "const_element"]
        first = elements[0].named_children[:1] if len(elements) == 1 else []
        return plain(text_of(first[0])) if first else None
    return by_field(node)


def javascript(node: Node) -> str | None:
    """A test block is named by its title; a default export without a name is `default`."""
    if node.type == "call_expression":
        arguments = node.child_by_field_name("arguments")
        title = arguments.named_children[0] if arguments is not None and arguments.named_children else None
        return plain_title(text_of(title)) if title is not None else None
    name = by_field(node)
    if name is None and node.parent is not None and node.parent.type == "export_statement":
        return "default"
    return name


def plain_title(written: str) -> str | None:
    title = " ".join(written.strip()[1:-1].split())
    return title[:200] or None
