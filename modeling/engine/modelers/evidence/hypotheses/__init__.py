"""The laws that a kernel may have: their terms, their prior, and their evidence in closed form.

The package `search` finds the laws that are likely for a kernel. The closed form assumes normal noise. The
package `draws` estimates the evidence under other families of noise.

A *factor* is the function x^i · log2^j(x) of one parameter x, of a class other than class 0. A term of a law
is a product of factors of different parameters, times a coefficient. A *textbook factor* is a whole power,
rising or falling, or the plain logarithm.
"""
