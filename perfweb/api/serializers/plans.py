"""Plans: what to measure next."""

from rest_framework import serializers


class CostRangeSerializer(serializers.Serializer[object]):
    """The lower and the upper end of a guess of core hours."""

    lower = serializers.FloatField(help_text="Core hours if times grow as slowly as is assumed possible.")
    upper = serializers.FloatField(help_text="Core hours if times grow as fast as is assumed possible.")


class PlanPointSerializer(serializers.Serializer[object]):
    """A configuration to run."""

    values = serializers.DictField(child=serializers.FloatField(), help_text="parameter → value")
    repetitions = serializers.IntegerField(help_text="Number of runs at this configuration.")
    core_hours = serializers.FloatField(
        allow_null=True, help_text="Core hours of all these runs; null: unknown."
    )
    buys = serializers.CharField(help_text="Purpose of these runs.")
    width_after = serializers.FloatField(
        allow_null=True,
        help_text="Expected factor between prediction and either end of the interval at the target, after "
        "these runs and those listed before them; null: not known.",
    )
    guessed = CostRangeSerializer(
        allow_null=True, help_text="Range of the core hours; null: they are predicted from measurements."
    )


class CertaintySerializer(serializers.Serializer[object]):
    """The probability that the more probable one of two rival laws is right, from 0 to 1."""

    before = serializers.FloatField(help_text="Probability now.")
    after = serializers.FloatField(help_text="Expected probability after the runs of the plan.")


class ExpectedSerializer(serializers.Serializer[object]):
    """The interval of the total at the target, as the factor from its middle to either end."""

    width_before = serializers.FloatField(
        help_text="Factor between prediction and either end of the interval now: 1.1 means 10 % above."
    )
    width_after = serializers.FloatField(help_text="The same factor, as expected after the runs of the plan.")
    certainty = CertaintySerializer(
        allow_null=True, help_text="Only for the goal `rivals`; null: there are no rival laws."
    )


class ProgramSerializer(serializers.Serializer[object]):
    """The whole program at the target, in the metric's unit."""

    predicted = serializers.FloatField(
        help_text="Sum of the functions' models, each with only the parameters that the function depends on."
    )
    lower = serializers.FloatField(help_text="Lower end of its 95 % interval.")
    upper = serializers.FloatField(help_text="Upper end.")
    functions = serializers.IntegerField(
        help_text="Number of functions in the sum; they are the most expensive ones."
    )
    share = serializers.FloatField(
        help_text="Share of these functions in the total at the largest measured configuration."
    )


class OutlookSerializer(serializers.Serializer[object]):
    """The total, or the requested kernel, at the target, in the metric's unit."""

    predicted = serializers.FloatField(help_text="Prediction as on the other pages.")
    lower = serializers.FloatField(help_text="Lower end of its 95 % interval now.")
    upper = serializers.FloatField(help_text="Upper end.")
    shared = serializers.FloatField(
        help_text="Factor from the prediction to either end if only the differences between jobs, nodes or "
        "days contributed to the interval; 1 if there are none."
    )
    kinds = serializers.ListField(
        child=serializers.CharField(), help_text="The kinds of groups that differ: job, node, day, campaign."
    )


class TurnaroundSerializer(serializers.Serializer[object]):
    """The hours until all results are there, including the waiting time in the queue."""

    jobs = serializers.IntegerField(help_text="Number of jobs.")
    side_by_side = serializers.FloatField(help_text="Hours if all jobs run at the same time.")
    in_turn = serializers.FloatField(help_text="Hours if jobs run one after the other.")


class NoiseSourceSerializer(serializers.Serializer[object]):
    """A part of the noise of a run, such as differences between jobs."""

    kind = serializers.CharField(help_text="repetition, job, node, day or campaign.")
    deviation = serializers.FloatField(help_text="Standard deviation of the logarithm: 0.05 is 5 %.")
    groups = serializers.IntegerField(help_text="How many jobs, nodes or days were compared.")
    also = serializers.ListField(
        child=serializers.CharField(),
        help_text="Other kinds of groups whose part is included, because they cannot be separated from this "
        "kind.",
    )


class PlanSerializer(serializers.Serializer[object]):
    """A plan: configurations, their costs and expected effects, and the reasons."""

    id = serializers.IntegerField(allow_null=True, help_text="Id of the kept plan; null if it was not kept.")
    application = serializers.SlugField()
    version = serializers.CharField(
        help_text="The version that the plan is for; empty: none was measured yet."
    )
    goal = serializers.CharField()
    problem = serializers.CharField(
        help_text="Reason why only a similar plan is possible; empty: the plan is as requested."
    )
    points = PlanPointSerializer(many=True)
    core_hours = serializers.FloatField(
        allow_null=True, help_text="Core hours of the whole plan; null: not known."
    )
    guessed = CostRangeSerializer(
        allow_null=True,
        help_text="Range of these core hours before the first measurement; null: they are predicted from "
        "measurements.",
    )
    separate_jobs = serializers.BooleanField(help_text="Whether each repetition must be a separate job.")
    hardly_worth_it = serializers.BooleanField(
        help_text="Whether the plan removes less than a fifth of the interval's width, or of the doubt which "
        "of two rival laws is right, and no possible run removes more; the reasons say what would help."
    )
    reached = serializers.BooleanField(help_text="Whether the goal is reached without another run.")
    expected = ExpectedSerializer(allow_null=True)
    program = ProgramSerializer(
        allow_null=True, help_text="Only for the goal `profile`; null: nothing was measured."
    )
    total = OutlookSerializer(allow_null=True, help_text="The total at the target; null: not known.")
    turnaround = TurnaroundSerializer(
        allow_null=True, help_text="Duration of the plan; null: there is nothing to run."
    )
    notes = serializers.ListField(
        child=serializers.CharField(), help_text="Parts of the request that have no effect, with the reasons."
    )
    noise = NoiseSourceSerializer(
        many=True, help_text="Where noise comes from, the largest part first; empty: not known."
    )
    reasons = serializers.ListField(child=serializers.CharField())
    text = serializers.CharField(help_text="The plan as text for people.")
    script = serializers.CharField(
        help_text="The requested job script; empty: none was requested, or there is nothing to run."
    )
