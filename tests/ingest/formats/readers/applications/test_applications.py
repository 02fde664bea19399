"""Outputs of applications that computing centres run: chemistry, fluids, weather and climate."""

import pytest

from ingest.formats import FormatError

GPTL = """
***** GLOBAL STATISTICS (  {p} MPI TASKS) *****

'count' is cumulative. All other stats are max/min

name           on processes threads        count    walltotal  wallmax (proc thrd  ) wallmin (proc thrd  )
"CPL:RUN"       -       {p}     {p} 6.400000e+01 8.000000e+02   {t} (  37    0)  10.250 (   1    0)
"a_i:dyn step"  y       {p}     {p} 1.280000e+02 4.000000e+02   6.500 (  37    0)   5.250 (   1    0)
"""
CIME = """---------------- TIMING PROFILE ---------------------
  Case        : F2010.ne30
  total pes active           : {p}
  mpi tasks per node         : 64
  Overall Metrics:
    Model Cost:            1638.65   pe-hrs/simulated_year
    Model Throughput:         7.13   simulated_years/day
    Init Time   :      87.776 seconds
    TOT Run Time:      {t} seconds       20.422 seconds/mday         11.6 myears/wday
    ATM Run Time:      33.155 seconds       16.078 seconds/mday        14.1 myears/wday
    CPL COMM Time:      2.688 seconds        1.844 seconds/mday       128.2 myears/wday
"""
ESPRESSO = """     Program PWSCF v.7.2 starts on  9Apr2025 at 19:17:11

     Parallel version (MPI & OpenMP), running on      {p} processor cores
     Number of MPI processes:                 {p}
     Threads/MPI process:                     2
     number of atoms/cell      =           12
     cft3s calls use a grid
     h_psi        :     15.86s CPU     16.50s WALL (      14 calls)
     PWSCF        :     1m12.34s CPU     {t}s WALL
"""
CP2K = """ CP2K| version string:                                          CP2K version 9.1
 GLOBAL| Total number of message passing processes                            {p}
 GLOBAL| Number of threads for this process                                     2
 SUBROUTINE                       CALLS  ASD         SELF TIME        TOTAL TIME
                                MAXIMUM       AVERAGE  MAXIMUM  AVERAGE  MAXIMUM
 CP2K                                 1  1.0    0.008    0.012   {t}   22.610
 qs_forces                           11  3.9    0.001    0.002   19.715   19.716
"""
VASP = """ vasp.6.3.0 20Jan22 (build Nov 14 2022 21:33:54) complex
 running    {p} mpi-ranks, with    4 threads/rank, on    2 nodes
   number of dos      NEDOS =   2000   number of ions     NIONS =     65
     POTLOK:  cpu time    0.5000: real time    0.5500
     POTLOK:  cpu time    0.2500: real time    0.2500
                   Total CPU time used (sec):     7730.036
                         Elapsed time (sec):     {t}
                   Maximum memory used (kb):      984460.
"""
CASTEP = """ |      CCC   AA    SSS  TTTTT  EEEEE  PPPP        |
 Calculation parallelised over {p} processes.
 Each process may use up to 2 threads.
Initialisation time =      5.19 s
Total time          =    {t} s
Peak Memory Use     = 6381508 kB
"""
OPENFOAM = """/*---------------------------------------------------------------------------*\\
Exec   : /opt/bin/simpleFoam -parallel
Host   : "node1"
nProcs : {p}
Time = 1
ExecutionTime = 2.84 s  ClockTime = 4 s
Time = 2
ExecutionTime = {t} s  ClockTime = 60 s
End
"""
NAMD = """Charm++> Running on MPI
Info: NAMD 2.14 for Linux-x86_64-MPI
Info: Running on {p} processors, 2 nodes, 2 physical nodes.
Info: 92224 ATOMS
Info: Benchmark time: {p} CPUs 0.02 s/step 0.2 days/ns 500 MB memory
Info: Benchmark time: {p} CPUs 0.01 s/step 0.1 days/ns 500 MB memory
WallClock: {t}  CPUTime: 103.9  Memory: 512.0 MB
"""
WRF = """taskid: 0 hostname: node1
 Ntasks in X            8 , ntasks in Y            {y}
Timing for Writing wrfout_d01_2019-11-26_12:00:00 for domain        1:    0.5 elapsed seconds
Timing for main: time 2019-11-26_12:00:20 on domain   1:    1.25 elapsed seconds
Timing for main: time 2019-11-26_12:00:40 on domain   1:    {t} elapsed seconds
"""
PRINTED = {
    "cime": (
        CIME,
        ["processors", "tasks_per_node"],
        {("main", "time"): 40.25, ("main->ATM", "time"): 33.155, ("main->CPL COMM", "time"): 2.688},
    ),
    "gptl": (GPTL, ["processes"], {("CPL:RUN", "time"): 40.25, ("a_i:dyn step", "calls"): 128}),
    "quantum-espresso": (
        ESPRESSO,
        ["threads", "processes", "atoms"],
        {("main", "time"): 40.25, ("main->h_psi", "time"): 16.5, ("main->h_psi", "calls"): 14},
    ),
    "cp2k": (
        CP2K,
        ["threads", "processes"],
        {
            ("main", "time"): 40.25,
            ("main->qs_forces", "time"): 19.715,
            ("main->qs_forces", "self time"): 0.001,
        },
    ),
    "vasp": (
        VASP,
        ["threads", "processes", "ions"],
        {("main", "time"): 40.25, ("main->POTLOK", "time"): 0.8, ("main", "memory"): 984460},
    ),
    "castep": (
        CASTEP,
        ["threads", "processes"],
        {("main", "time"): 40.25, ("main->Initialisation", "time"): 5.19},
    ),
    "openfoam": (OPENFOAM, ["processes"], {("main->simpleFoam", "time"): 40.25}),
    "namd": (NAMD, ["processes", "atoms"], {("main", "time"): 40.25, ("main", "time per step"): 0.01}),
}


@pytest.mark.parametrize("name", PRINTED)
def test_runs_of_different_numbers_of_processes_are_read(read, name):
    text, parameters, values = PRINTED[name]
    campaign = read(text.format(p=64, t="40.25") + text.format(p=128, t="30.5"))
    assert (campaign.format, list(campaign.parameters)) == (name, parameters)
    processes = next(place for place, told in enumerate(parameters) if told.startswith("process"))
    assert campaign.points[:, processes].tolist() == [64, 128]
    for key, value in values.items():
        assert campaign.series[key][0].tolist() == pytest.approx([value])
    key = next(iter(values))
    assert campaign.series[key][1].tolist() == [30.5]


@pytest.mark.parametrize("name", ["gptl", "cp2k"])
def test_an_unfinished_run_is_refused_with_what_is_expected(read, name):
    lines = PRINTED[name][0].format(p=64, t="40.25").splitlines()
    end = next(place for place, line in enumerate(lines) if "40.25" in line)
    with pytest.raises(FormatError, match="found an output without results; expected"):
        read("\n".join(lines[:end]))


def test_steps_of_a_weather_model_are_added_up(read):
    campaign = read(WRF.format(y=4, t="1.5") + WRF.format(y=8, t="1.0"))
    assert (campaign.format, campaign.parameters, campaign.points.tolist()) == (
        "wrf",
        ("processes",),
        [[32], [64]],
    )
    assert campaign.series["main->main domain 1", "time"].tolist() == [[2.75], [2.25]]
    assert campaign.series["main->Writing", "time"].tolist() == [[0.5], [0.5]]


@pytest.mark.parametrize(
    ("clock", "seconds"), [("2h 9m", 7740), ("1m12.50s", 72.5), ("0.35s", 0.35), ("1d 2h 3m", 93780)]
)
def test_times_may_have_hours_and_minutes(read, clock, seconds):
    campaign = read(ESPRESSO.format(p=64, t="40.25").replace("40.25s", clock))
    assert campaign.series["main", "time"].tolist() == [[seconds]]
