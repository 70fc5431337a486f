"""The arena in the browser: a local server and the page that it serves. Only the command line imports it."""
