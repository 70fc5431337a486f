"""The addresses of the API, one module for each part. A route names the parts that it uses, checks, and answers."""
