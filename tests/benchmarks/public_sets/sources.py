"""The public sets: where they are published, and how their files are read.

The licences of the repositories apply to the measurements. Names of machines, settings and regions form the
paths of kernels. Dates, job numbers and run numbers do not, because they identify repetitions.
"""

from tests.benchmarks.public_sets.reading import PublicSet, Repository

_ARCHER = Repository("hpc-uk/archer-benchmarks", "f644ea4b0e61f1dabe5aa7b6b6fcc99b251ea178")
_E3SM = Repository("E3SM-Project/perf-data", "3b5f3ec8036db41852699ff903241e029a92ef0c")
_GPU = Repository("te42kyfo/gpu-benches", "1c36d509ee717dca9215c27135fa1e611bb03ed1")
_CLOUDS = Repository("converged-computing/performance-study", "6f3df687c43df5c3a7b76a73e206481cbbd16457")
_USERNETES = Repository("converged-computing/flux-usernetes", "8310306154ed4bbf1b37b7c057c372bba15ac5c8")
_MAPS = Repository("xacrimon/conc-map-bench", "0713fa3ca4a21fd7325f7ef649a48d00c41a011f")
_PYHPC = Repository("dionhaefner/pyhpc-benchmarks", "d438ef8b76ecb51a019b105a6e06150e5a35c177")
_FVM = Repository("lupeterm/FVM-Prototyping", "3e7fa9a29b87ff78d187b310fa9c9a55304ad86f")
_KARMAN = Repository(
    "Ibrahimaa19/Karman_vortex_street_Optimisation", "4290256f3d9bcd14af16d8d8917e4653fa8b23f9"
)
_PDGEMV = Repository("BraeTroutman/pdgemv", "c9a9f5ffe96283ddec1adbbd5da07f4de29a74ea")
_ROMBERG = Repository("lewisndambiri/romberg-hpc4ds", "cddc9f80b181c7393b6c5524d3c11a618fa09608")
_SORTS = Repository("ArbriHamzallari/parallel-sort-openmp", "ddbf26eb51ee8da24df292b806288b81d60c6201")
_IMB = r"synth/IMB/results/"
_OSU = (r"# OSU MPI (?P<kernel>.+) Test", r"^(?P<bytes>[1-9]\d*)\s+(?P<value>[\d.]+)$")
_CAVITY = r"^[^,]+,(?P<value>[^,]+),[^,]*,[^,]*,cases/[^/]+/(?P<n>\d+)/,[^,]+,(?P<strategy>\w+),"
_TIMER = r'^"(?P<region>[^"]+)"\s+-\s+\d+\s+\d+\s+\S+\s+\S+\s+(?P<value>[\d.]+)'

_STRONG_SCALING = (
    PublicSet(
        _ARCHER,
        name="castep_al3x3",
        files=r"apps/CASTEP/al3x3/results/(?P<machine>[^/]+)/al3x3_(?P<nodes>\d+)nodes"
        r"(?:_\d+(?P<units>cores|ranks|processes)_(?P<settings>\d[a-z_]+))?(?:_?\d{12})?(?:_[a-z]+)?\.castep",
        parameters=("nodes",),
        lines=(r"^Total time +=\s+(?P<value>[\d.]+) s",),
    ),
    PublicSet(
        _ARCHER,
        name="castep_dna",
        files=r"apps/CASTEP/DNA/results/(?P<machine>[^/]+)/polyA20-no-wat\.castep\.(?P<nodes>\d+)nodes"
        r"\.(?P<settings>\d+threads)\.\d+",
        parameters=("nodes",),
        lines=(r"^Total time +=\s+(?P<value>[\d.]+) s",),
    ),
    PublicSet(
        _ARCHER,
        name="opensbli",
        files=r"apps/OpenSBLI/(?P<case>\w+)/results/(?P<machine>[^/]+(?:/[^/]+)?)/(?:output|TGV\d+ss)_"
        r"(?P<nodes>\d+)nodes?(?:_\d+(?P<units>cores|ranks)_(?P<settings>\d+threads))?(?:_\d+)?\.(?:txt|iter)",
        parameters=("nodes",),
        lines=(r"^Time taken for 1 iteration,\s+(?P<value>[\d.]+)",),
    ),
    PublicSet(
        _ARCHER,
        name="gromacs_1400k",
        files=r"apps/GROMACS/1400k-atoms/results/(?P<machine>[^/]+)/benchmark_(?P<nodes>\d+)nodes(?:\d+tasks)?"
        r"(?P<settings>[a-z\d]*)(?:_\d+)?\.log",
        parameters=("nodes",),
        lines=(r"^Performance:\s+(?P<value>[\d.]+)",),
        metric="ns/day",
    ),
    PublicSet(
        _E3SM,
        name="homme_summit",
        files=r"nhxx-sl-summit-mar2021/data/\w+/r\d-(?P<mesh>ne\d+)-nmax4096-(?P<tracers>qsize\d+)"
        r"-nnode(?P<nodes>\d+)-out\.\d+",
        parameters=("nodes",),
        lines=(r"^>>> (?P<transport>\w+) full", _TIMER),
    ),
)

_OTHER_SCALING = (
    PublicSet(
        _MAPS,
        name="conc_map",
        files=r"results/(?P<workload>\w+)\.(?P<hash>\w+)\.csv",
        parameters=("threads",),
        lines=(r"^(?P<map>\w+),\d+,(?P<threads>\d+),\d+,(?P<value>[\d.]+),\d+$",),
        metric="throughput",
    ),
    PublicSet(
        _ARCHER,
        name="mdtest",
        files=r"synth/mdtest/results/(?P<machine>[^/]+)/mdtest_(?P<case>[a-z-]+)_\d+_(?P<nodes>\d+)nodes_\d+\.log",
        parameters=("nodes",),
        lines=(r"^\s+(?P<operation>(?:File|Tree) \w+)\s+:\s+(?P<value>[\d.]+)",),
        metric="rate",
    ),
    PublicSet(
        _ARCHER,
        name="benchio",
        files=r"synth/benchio/results/(?P<machine>[^/]+)/benchio_res_c(?P<cores>\d+)_(?:0|\d{14})_"
        r"(?P<settings>\w+)\.dat",
        parameters=("cores",),
        lines=(r"Writing to (?P<file>\S+)", r"^ time =.*rate =\s+(?P<value>[\d.]+)"),
        metric="rate",
    ),
)

_MPI = (
    PublicSet(
        _ARCHER,
        name="imb_archer2_2p",
        files=_IMB
        + r"(?P<machine>ARCHER2_CrayMPICH8015)/IMB_(?:Allgatherv?|Allreduce|Alltoallv?)_\d+nodes.*",
        parameters=("processes", "bytes"),
        metric="t_avg",
    ),
    PublicSet(
        _ARCHER,
        name="imb_others_2p",
        files=_IMB + r"(?P<machine>(?!ARCHER2)[^/]+)/IMB_(?:Allgatherv?|Allreduce|Alltoallv?)_\d+nodes.*",
        parameters=("processes", "bytes"),
        metric="t_avg",
    ),
    PublicSet(
        _USERNETES,
        name="usernetes_allreduce_2p",
        files=r"aws/experiment/final/results-osu/(?P<system>[^/]+)/all_reduce-(?P<nodes>\d+)-\d+-\d+\.out",
        parameters=("bytes", "nodes"),
        lines=_OSU,
    ),
    PublicSet(
        _USERNETES,
        name="usernetes_osu",
        files=r"aws/experiment/final/results-osu/(?P<system>[^/]+)/osu_(?:latency|bw)-\d+\.out",
        parameters=("bytes",),
        lines=_OSU,
        metric="latency or bandwidth",
    ),
    PublicSet(
        _CLOUDS,
        name="clouds_osu",
        files=r"experiments/(?P<cloud>[^/]+/[^/]+/cpu/size\d+)/results/osu/osu-(?P<nodes>\d+)-iter-\d+-\d+\.out",
        parameters=("bytes",),
        lines=_OSU,
        metric="latency or bandwidth",
    ),
    PublicSet(
        _CLOUDS,
        name="clouds_allreduce_2p",
        files=r"experiments/(?P<cloud>[^/]+/[^/]+/cpu)/size(?P<nodes>\d+)/results/osu/osu-(?P=nodes)-iter-\d+-\d+\.out",
        parameters=("bytes", "nodes"),
        lines=_OSU,
    ),
)

_PROBLEM_SIZES = (
    PublicSet(
        _E3SM,
        name="homme_node",
        files=r"hommexx-gmd2019-fig12/sn-(?P<machine>[\w-]+)\.txt",
        parameters=("ne",),
        lines=(
            r"AMB> (?P<code>\S+) qsize\s+(?P<tracers>\d+) ne\s+(?P<ne>\d+)"
            r" nrank\s+(?P<ranks>\d+) nthr\s+(?P<threads>\d+)",
            r"^\S+:(?P<region>\w[\w+ -]*?)\s+\d+\s+\d+\s+\S+e\+\d+\s+\S+e[+-]\d+\s+(?P<value>[\d.]+)",
        ),
    ),
    PublicSet(
        _E3SM,
        name="homme_sizes",
        files=r"RS-theta/(?P<machine>[\w-]+)/\w+/run1/time-thetaxx-ne(?P<ne>\d+)-nmax500\.\d+",
        parameters=("ne",),
        lines=(_TIMER,),
    ),
    PublicSet(
        _PYHPC,
        name="pyhpc",
        files=r"results/(?P<machine>aws|magni|colab)\.md",
        parameters=("size",),
        lines=(
            r"^benchmarks\.(?P<benchmark>\w+)$",
            r"^Running on (?P<device>\w+)",
            r"^\s+(?P<size>[\d,]+)\s+(?P<backend>\w+)\s+[\d,]+\s+(?P<value>\d*[1-9]\d*\.\d+|0\.(?!00)\d+)",
        ),
    ),
)

_MEMORY = (
    PublicSet(
        _GPU,
        name="gpu_cache",
        files=r"gpu-cache/(?P<device>\w+)\.txt",
        parameters=("kB",),
        lines=(r"^\s+(?P<kB>\d+) kB\s+\d+ms\s+[\d.]+%\s+(?P<value>[\d.]+) GB/s",),
        metric="bandwidth",
    ),
    PublicSet(
        _GPU,
        name="gpu_latency",
        files=r"gpu-latency/(?P<device>\w+)\.txt",
        parameters=("kB",),
        lines=(r"^\s*\d+\s+\d+\s+\d+\s+(?P<kB>[\d.]+)\s+(?P<value>[\d.]+)$",),
        metric="cycles",
    ),
    PublicSet(
        _GPU,
        name="gpu_l2",
        files=r"gpu-l2-cache/(?P<device>\w+)\.txt",
        parameters=("kB",),
        lines=(r"^\s+\d+ kB\s+(?P<kB>\d+) kB\s+\d+ms\s+[\d.]+%\s+(?P<value>[\d.]+) GB/s",),
        metric="bandwidth",
    ),
    PublicSet(
        _GPU,
        name="gpu_small",
        files=r"gpu-small-kernels/(?P<device>\w+)\.txt",
        parameters=("size",),
        lines=(r"^\s*(?P<size>\d+)\s+\S+kB\s+(?P<value>[\d.]+)",),
        metric="bandwidth",
    ),
    PublicSet(
        _GPU,
        name="gpu_stream",
        files=r"gpu-stream/(?P<device>\w+)\.txt",
        parameters=("threads",),
        lines=(r"^\s+\d+\s+(?P<threads>\d+)\s+[\d.]+ %\s+\|\s+GB/s:\s+\d+\s+(?P<value>\d+)",),
        metric="bandwidth",
    ),
)

_SMALL = (
    PublicSet(
        _FVM,
        name="fvm_gpu",
        files=r"results/gpuScaling\.csv",
        parameters=("n",),
        lines=(_CAVITY + r"(?P<variant>[\w-]+),\w+,(?P<precision>\w+),",),
    ),
    PublicSet(
        _FVM,
        name="fvm_threads",
        files=r"results/scaling\.csv",
        parameters=("threads", "n"),
        lines=(_CAVITY + r"(?P<variant>\w+)-(?P<threads>\d+),",),
    ),
    PublicSet(
        _KARMAN,
        name="karman",
        files=r"(?P<build>strong_scaling\w*)\.csv",
        parameters=("ranks",),
        lines=(r"^(?P<ranks>\d+),[\d.]+,(?P<value>[\d.]+)",),
    ),
    PublicSet(
        _PDGEMV,
        name="pdgemv",
        files=r"scaling\.csv",
        parameters=("ranks",),
        lines=(r"^(?P<ranks>\d+),\d+,\d+,(?P<size>\d+),\d+,(?P<value>[\d.]+),",),
    ),
    PublicSet(
        _ROMBERG,
        name="romberg",
        files=r"results/(?P<series>(?:strong|weak)_scaling\w*)\.csv",
        parameters=("cores",),
        lines=(r"^(?P<cores>\d+),(?P<value>[\d.]+),",),
    ),
    PublicSet(
        _SORTS,
        name="parallel_sorts",
        files=r"results/scaling\.csv",
        parameters=("threads",),
        lines=(r"^(?P<algorithm>\w+),\d+,(?P<threads>\d+),\d+,(?P<value>[\d.]+),1",),
    ),
)

SETS = (*_STRONG_SCALING, *_OTHER_SCALING, *_MPI, *_PROBLEM_SIZES, *_MEMORY, *_SMALL)
