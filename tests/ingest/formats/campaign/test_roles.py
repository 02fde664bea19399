"""Roles of parameters are guessed from their names."""

import pytest

from ingest.formats.campaign.roles import Kind, kind, precedence

NAMES = {
    Kind.RANKS: """
        mpi.world.size jobsize job_size JobSize MPI_Comm_size comm_size numprocs num_procs num-procs
        numProcs nprocs np NP num_np p P procs processes process_count ranks mpi_ranks mpiranks
        num_ranks n_ranks nranks N_RANKS rank_count total_ranks tasks num_tasks ntasks SLURM_NTASKS
        slurm_ntasks PEs npes app.nprocs
    """,
    Kind.DEVICES: """
        gpus ngpus num_gpus GPUS gpu_count n_resources cores num_cores ncores cpus
    """,
    Kind.NODES: """
        nodes num_nodes nnodes SLURM_NNODES SLURM_JOB_NUM_NODES numhosts node.count
    """,
    Kind.THREADS: """
        threads num_threads nthreads OMP_NUM_THREADS omp_max_threads omp_threads thread_count
        threads_per_task n_threads_per_proc SLURM_CPUS_PER_TASK ranks_per_node gpus_per_node
        cores-per-rank ppn num_workers
    """,
    Kind.SIZE: """
        n N m nx NY nz size problem_size problemSize problem-size lulesh.problem_size total_size
        ProblemSizeRunParam elements nelem num_elements elements_per_rank cells n_cells particles
        particles_per_process dofs ndofs mesh mesh_size mesh_nodes grid message_size msg_size message_bytes
        bytes
        array_size matrix.size nnz
    """,
    Kind.OTHER: """
        x time seed iterations order degree rank rank_id node_id threadid process alpha_n weight_p
        count number block_size cache_line_size step.size tile_size omp_schedule tasks_per_second
        version notes ångström _
    """,
}


@pytest.mark.parametrize(("found", "names"), NAMES.items())
def test_it_works(found, names):
    assert {name: kind(name) for name in names.split()} == dict.fromkeys(names.split(), found)


def test_spaces_separate_words():
    assert kind("number of MPI ranks") == Kind.RANKS
    assert kind("threads per MPI rank") == Kind.THREADS
    assert kind("problem size") == Kind.SIZE


def test_roles_are_ordered_from_ranks_to_sizes():
    names = ["x", "n", "nthreads", "nodes", "gpus", "np", "jobsize", "mpi.world.size"]
    assert sorted(names, key=precedence) == names[::-1]


def test_long_names_are_parsed_quickly():
    assert kind("num_" * 20) == kind("a" * 80) == kind("per " * 20) == Kind.OTHER
