"""The search for the likely laws of a kernel, by their evidence in closed form (`hypotheses.gaussian`).

These words have one meaning in this package:

- A *structure* is a partition of the parameters into terms. For example, c₀ + c₁·f(p)·g(n) and c₀ + c₁·f(p) +
  c₂·g(n) have the two structures of two parameters.
- Classes are *combined* if all laws with one of these classes in each parameter are compared, in all
  structures.
- In a *plain* law, each parameter is in at most one term. A *longer* law may have one term more than plain
  laws, and a parameter in several terms.
- A term is *free* if it contains no parameter. Free terms are the last ones of a law.
"""
