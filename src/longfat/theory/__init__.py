"""The papers' equations as sympy objects, and the numbers they give: a module a paper."""
