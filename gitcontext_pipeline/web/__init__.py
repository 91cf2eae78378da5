"""The web page and the JSON API: questions, evidence and quality in a browser, without a build step."""
