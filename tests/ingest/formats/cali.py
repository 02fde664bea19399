"""Writes Caliper's own files for tests."""

INT, DOUBLE, STRING = 1, 5, 3
"""Ids of the nodes that represent data types. Every file begins with these nodes."""
VALUE, NESTED, GLOBAL, HIDDEN = 1, 256, 512, 128


class Cali:
    """Writes a file: first attributes, then regions, then records."""

    def __init__(self):
        self.lines, self.next = [], 20
        self.unit = self.attribute("attribute.unit", STRING, 64)
        self.alias = self.attribute("attribute.alias", STRING, 64)

    def node(self, attribute, data, parent=None):
        """Add a node and return its id."""
        above = "" if parent is None else f",parent={parent}"
        self.lines.append(f"__rec=node,id={self.next},attr={attribute},data={data}{above}")
        self.next += 1
        return self.next - 1

    def attribute(self, name, kind, properties, unit="", alias=""):
        """Add an attribute and return its id."""
        parent = kind
        if unit:
            parent = self.node(self.unit, unit, parent)
        if alias:
            parent = self.node(self.alias, alias, parent)
        return self.node(8, name, self.node(10, properties, parent))

    def record(self, region, values):
        """Add a record with the values of a region, given by attribute."""
        attributes, data = "=".join(map(str, values)), "=".join(map(str, values.values()))
        self.lines.append(f"__rec=ctx,ref={region},attr={attributes},data={data}")

    @property
    def content(self):
        """The written lines as the bytes of a file."""
        return "\n".join(self.lines).encode()

    def globals(self, **values):
        """Add metadata of the run, which Caliper calls globals."""
        numbers = [self.attribute(name, STRING, GLOBAL | VALUE) for name in values]
        data = "=".join(str(value).replace(",", "\\,") for value in values.values())
        self.lines.append(f"__rec=globals,attr={'='.join(map(str, numbers))},data={data}")


def run(factor=1.0, **about):
    """Return a run in which main calls solve, which has two records."""
    cali = Cali()
    time = cali.attribute("sum#time", DOUBLE, VALUE, unit="sec", alias="Time")
    count = cali.attribute("count", INT, VALUE)
    rank = cali.attribute("mpi.rank", INT, VALUE)
    region = cali.attribute("region", STRING, NESTED)
    main = cali.node(region, "main")
    solve = cali.node(region, "a->b", main)
    cali.record(main, {time: 2 * factor, count: 1})
    cali.record(solve, {time: 1 * factor, count: 4, rank: 0})
    cali.record(solve, {time: 3 * factor, count: 4, rank: 1})
    cali.lines.append(f"__rec=ctx,attr={time},data=9")
    cali.globals(**about)
    return cali.content


def profile(records, metrics, *, ranks="mpi.rank", **about):
    """Return a run with several records of one region.

    Each record is (rank, *values), with None for a value that it lacks.
    """
    cali = Cali()
    rank = cali.attribute(ranks, INT, VALUE)
    kernel = cali.attribute("cupti.kernel.name", STRING, 0)
    columns = [rank, *(cali.attribute(name, DOUBLE, VALUE) for name in metrics)]
    main = cali.node(cali.attribute("region", STRING, NESTED), "main")
    for number, values in enumerate(records):
        known = {key: value for key, value in zip(columns, values, strict=True) if value is not None}
        cali.record(f"{main}={cali.node(kernel, f'kernel {number}')}", known)
    cali.globals(**{"jobsize": 2} | about)
    return cali.content
