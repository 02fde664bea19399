"""The laws that a kernel may have: their terms, their prior, and their evidence in closed form.

The package `search` finds the laws that are likely for a kernel. The closed form assumes normal noise. The
package `draws` estimates the evidence under other families of noise.
"""
