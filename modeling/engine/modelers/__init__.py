"""The modelers, each a module or a package, and the modules that several of them use.

`regression` and `refinement` find the best term of each parameter, and join these terms. The default modeler
is in `evidence`; `segmented` adds breaks to it, and `trending` adds trends to that. `adaptive` uses a neural
network. `modeling.engine.fitting` chooses among the modelers by name.

These words have one meaning in all modules. A *line* is a set of points that differ in one parameter only. A
*term* is x^i·log2^j(x) or a product of such factors of several parameters. A term *falls* if it becomes
smaller as a parameter grows. Of a parameter's terms, the *lead term* contributes most at `LEAD_MULTIPLE`
times the largest parameter values. A law is *refused* if it may not be chosen. SMAPE is the mean of 2·|error|
/ (|value| + |prediction|), from 0 to 2.
"""
