# The command in a container, with torch for the CPU and Dask. The course is not in it: mount it at /course.
#
#   docker build -t autograder .
#   docker run --rm -v "$PWD":/course autograder autograder grade a5_attention submissions.zip -o graded
#
# It runs as root, so that student code runs as another user: isolation level B with Docker's defaults, which refuse
# namespaces. Level A takes a runtime that allows them, as `--privileged` does; that gives the grader, which is trusted, more
# rights and student code fewer. As another user (`--user`) the level is B-. `docker run --rm autograder` prints the level.
FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends bubblewrap libseccomp2 python3-venv && rm -rf /var/lib/apt/lists/*
COPY pyproject.toml constraints.txt README.md LICENSE /opt/source/
COPY autograder /opt/source/autograder
RUN python3 -m venv /opt/autograder
RUN /opt/autograder/bin/pip install --no-cache-dir --constraint /opt/source/constraints.txt --extra-index-url https://download.pytorch.org/whl/cpu "/opt/source[cluster,torch]"
RUN /opt/autograder/bin/autograder --help > /dev/null && rm -rf /opt/source
ENV PATH=/opt/autograder/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin OMP_NUM_THREADS=1
WORKDIR /course
CMD ["autograder", "--version"]
