"""All laws of a few parameters, listed one by one, as an oracle of the searches."""

from itertools import product

import numpy as np

from modeling.engine.modelers.evidence.hypotheses.laws import Laws, Located, best_first, names, scored


def splits(members):
    """Return all ways to split a list into groups, by putting its first member into a group of each split of
    the others, or into a group of its own.
    """
    if not members:
        return [[]]
    found = []
    for split in splits(members[1:]):
        found.append([[members[0]], *split])
        found += [[[members[0], *group] if group is chosen else group for group in split] for chosen in split]
    return found


def plain_laws(lists):
    """Return all laws (T, m, H) in which each parameter has one of the classes that `lists` has for it, and
    occurs in one term at most.
    """
    laws = []
    for classes in product(*lists):
        for terms in splits([parameter for parameter, number in enumerate(classes) if number]):
            law = np.zeros((len(lists), len(lists)), dtype=np.int64)
            for place, term in enumerate(terms):
                law[place, term] = [classes[parameter] for parameter in term]
            order = sorted(law.tolist(), key=lambda row: row[::-1], reverse=True)
            laws.append(order)
    return np.moveaxis(np.array(laws), 0, 2)


def weighed(basis, classes, located, weights):
    """Return the laws (T, m, H), best first, with their evidence for each kernel."""
    everywhere = np.repeat(classes[..., None], located.y.shape[1], axis=3)
    return best_first(scored(basis, everywhere, located, weights), classes.shape[2])


def measured(truths, error=0.03, seed=0):
    """Return true values (K, P) with normal errors, as one value per point."""
    y = np.array(truths) * (1 + error * np.random.default_rng(seed).standard_normal(np.shape(truths)))
    return Located(y.T, np.full(y.T.shape, error**2))


def check_best(found, expected, count):
    """Check that the best `count` laws of each kernel are the expected ones, apart from equally good ones."""
    np.testing.assert_allclose(found.log_evidence[:count], expected.log_evidence[:count], atol=1e-6)
    assert (names(found.classes)[0] == names(expected.classes)[0]).all()


def check_weights(basis, laws, located, weights):
    """Check that the evidence of laws is what each of them has when it is weighed alone."""
    again = scored(basis, laws.classes, located, weights).log_evidence
    known = np.isfinite(laws.log_evidence)
    np.testing.assert_allclose(laws.log_evidence[known], again[known], atol=1e-6)


def first(laws, count):
    """Return the best `count` laws of each kernel."""
    return Laws(laws.classes[:, :, :count], laws.log_evidence[:count])
