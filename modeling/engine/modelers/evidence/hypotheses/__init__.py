"""The laws that a kernel may have: their terms, their prior, and their evidence in closed form.

The closed form assumes normal noise. The package `draws` estimates the evidence under other families of
noise. A *factor* is the function x^i · log2^j(x) of one parameter x, for a class other than 0. A *term* is a
product of factors of different parameters, times a coefficient. A *textbook factor* is a whole power or the
plain logarithm.
"""
