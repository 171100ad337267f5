"""Generates the input of the benchmark log, as contract.md in this folder specifies: a folder of
log files.

    python -m langbench.log.generate --workload hadoop --seed 1 --files 8 --bytes 4000
        --output FOLDER

Lines are drawn from fixed templates and filled with identifiers, numbers, hosts and paths. The ten
most frequent templates make 85% of the lines. The first file begins with one line for each of the
contract's seven queries, so that every query has a match at every size. All random numbers come
from SplitMix64, so the same arguments give the same bytes on every version of Python.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from harness.python.harness import MASK_64, SplitMix64

LEAST_BYTES = 1
MOST_FILES = 1_000_000  # the greatest number with the six digits of a file's name

FILES_OF_AN_APPLICATION = 8
TASKS_OF_AN_APPLICATION = 40
HOSTS = 16


class RequestError(ValueError):
    """A workload is unknown, or a number is out of range."""


@dataclass(frozen=True)
class Corpus:
    """The messages of a workload, with fields in braces; {n:LIMIT} is an integer below LIMIT.

    `frequent` has messages with their share of the lines in percent; together they are 85%. The
    messages in `rare` share the rest equally. `landmarks` has a message for each query of the
    contract; they are the first lines of the first file.
    """

    stamp: str
    frequent: dict[str, int]
    rare: tuple[str, ...]
    landmarks: tuple[str, ...]


MAPREDUCE = "org.apache.hadoop.mapreduce"
APPLICATION = f"{MAPREDUCE}.v2.app"
HDFS = "org.apache.hadoop.hdfs"
YARN = "org.apache.hadoop.yarn.server"
# The sources of rare messages: thread, class, and the subject of the message.
HADOOP_SPEAKERS = (
    ("main", f"{APPLICATION}.MRAppMaster", "application master"),
    ("main", "org.apache.hadoop.security.UserGroupInformation", "credentials"),
    ("main", "org.apache.hadoop.conf.Configuration.deprecation", "configuration"),
    ("main", "org.apache.hadoop.mapred.MapTask", "map output collector"),
    ("main", "org.apache.hadoop.mapred.Merger", "merge of segments"),
    ("main", "org.apache.hadoop.io.compress.CodecPool", "decompressor"),
    ("main", "org.apache.hadoop.metrics.impl.MetricsSystemImpl", "metrics system"),
    ("main", "org.apache.hadoop.http.HttpRequestLog", "request log"),
    ("main", "org.mortbay.log", "web application"),
    ("SpillThread", "org.apache.hadoop.mapred.MapTask", "spill"),
    ("EventFetcher for Map Completion", f"{MAPREDUCE}.task.reduce.EventFetcher", "fetch"),
    ("InMemoryMerger", f"{MAPREDUCE}.task.reduce.MergeManagerImpl", "in-memory merge"),
    ("OnDiskMerger", f"{MAPREDUCE}.task.reduce.MergeManagerImpl", "on-disk merge"),
    ("ShuffleHandler", "org.apache.hadoop.mapred.ShuffleHandler", "shuffle connection"),
    ("CommitterEvent Processor", f"{APPLICATION}.commit.CommitterEventHandler", "commit"),
    ("TaskHeartbeatHandler PingChecker", f"{APPLICATION}.TaskHeartbeatHandler", "heartbeat"),
    ("eventHandlingThread", f"{MAPREDUCE}.jobhistory.JobHistoryEventHandler", "history"),
    ("DefaultSpeculator", f"{APPLICATION}.speculate.DefaultSpeculator", "speculation"),
    ("LeaseRenewer", f"{HDFS}.LeaseRenewer", "lease"),
    ("DataStreamer", f"{HDFS}.DFSOutputStream", "write pipeline"),
    ("BlockReportProcessor", f"{HDFS}.server.blockmanagement.BlockManager", "report"),
    ("ReplicationMonitor", f"{HDFS}.server.blockmanagement.ReplicationMonitor", "replication"),
    ("NodeManager", f"{YARN}.nodemanager.NodeStatusUpdaterImpl", "node status"),
    ("ContainersMonitor", f"{YARN}.nodemanager.ContainersMonitorImpl", "memory usage"),
    ("LocalizerRunner", f"{YARN}.nodemanager.ResourceLocalizationService", "localization"),
    ("Event Processor", f"{YARN}.resourcemanager.scheduler.capacity.LeafQueue", "queue"),
)
HADOOP_SPEECHES = (
    "INFO [{}] {}: Starting {} for application_{{application}}",
    "INFO [{}] {}: Finished {} of job_{{application}} in {{decimal}} seconds",
    "WARN [{}] {}: Retrying {} on {{host}}, attempt {{n:10}} of 10",
    "ERROR [{}] {}: Giving up {}: java.io.IOException: Connection reset by peer in a call to "
    "{{host}}:8020; Details: Operation category READ is not supported in state standby",
)
LONGEST_SPEECH = (
    "INFO [main] org.apache.hadoop.mapred.YarnChild: local folders of a child: "
    + ",".join(f"/data/{disk}/nm-local-dir/application_{{application}}" for disk in "abcdefghi")
)
HADOOP = Corpus(
    stamp="2015-10-{day:02} {hour:02}:{minute:02}:{second:02},{ms:03} ",
    frequent={
        f"INFO [AsyncDispatcher] {APPLICATION}.job.impl.TaskAttemptImpl: "
        "attempt_{map} TaskAttempt Transitioned from ASSIGNED to RUNNING in {n:90} s": 22,
        "INFO [IPC Server handler {n:30} on {n:65536}] org.apache.hadoop.mapred."
        "TaskAttemptListenerImpl: Progress of TaskAttempt attempt_{map} is : {fraction}": 17,
        f"INFO [Launcher #{{n:10}}] {APPLICATION}.launcher.ContainerLauncherImpl: "
        "Launching container_{container} for attempt_{map}": 12,
        f"INFO [AsyncDispatcher] {APPLICATION}.job.impl.TaskImpl: "
        "task_{task} Task Transitioned from SCHEDULED to RUNNING": 9,
        f"INFO [RMCommunicator] {APPLICATION}.rm.RMContainerAllocator: "
        "Recalculating schedule, headroom=<memory:{n:65536}, vCores:{n:64}>": 7,
        f"INFO [RMCommunicator] {APPLICATION}.rm.RMContainerAllocator: "
        "Assigned container_{container} to attempt_{map} on {host}": 5,
        f"INFO [main] {HDFS}.server.namenode.FSNamesystem.audit: allowed=true ugi=hadoop "
        "ip=/{address} cmd=open src=/benchmarks/input/part-m-{part} dst=null": 4,
        f"WARN [ResponseProcessor for block blk_{{block}}] {HDFS}.DFSClient: "
        "Slow ReadProcessor read fields took {n:90000} ms; ack status SUCCESS": 4,
        f"INFO [fetcher#{{n:10}}] {MAPREDUCE}.task.reduce.Fetcher: fetcher about to shuffle "
        "output of map attempt_{map} decomp {n:9000000} len {n:9000000} to MEMORY": 3,
        f"INFO [DataXceiver for client] {HDFS}.server.datanode.DataNode: "
        "Received blk_{block} of size {n:134217728} from /{address}": 2,
    },
    rare=(
        *(speech.format(*who) for who in HADOOP_SPEAKERS for speech in HADOOP_SPEECHES[:3]),
        *(HADOOP_SPEECHES[3].format(*who) for who in HADOOP_SPEAKERS[1:]),
        LONGEST_SPEECH,
    ),
    landmarks=(
        f"INFO [LeaseRenewer] {HDFS}.LeaseRenewer: Starting lease for application_{{application}}",
        f"INFO [Launcher #{{n:10}}] {APPLICATION}.launcher.ContainerLauncherImpl: "
        "Launching container_1445144423722_0001_01_000007 for attempt_{map}",
        f"INFO [fetcher#7] {MAPREDUCE}.task.reduce.Fetcher: fetcher about to shuffle "
        "output of map attempt_{map} decomp {n:9000000} len {n:9000000} to MEMORY",
        "INFO [IPC Server handler {n:30} on {n:65536}] org.apache.hadoop.mapred."
        "TaskAttemptListenerImpl: Progress of TaskAttempt "
        "attempt_1445144423722_0001_m_000003_1 is : {fraction}",
        f"WARN [ResponseProcessor for block blk_{{block}}] {HDFS}.DFSClient: "
        "Slow ReadProcessor read fields took 30077 ms; ack status SUCCESS",
        f"INFO [main] {HDFS}.server.namenode.FSNamesystem.audit: allowed=true ugi=hadoop "
        "ip=/10.0.3.7 cmd=open src=/benchmarks/input/part-m-{part} dst=null",
        HADOOP_SPEECHES[3].format(*HADOOP_SPEAKERS[1]).replace("{host}", "node-07.cluster.example"),
    ),
)

SPARK_SPEAKERS = (
    ("spark.SecurityManager", "authentication"),
    ("spark.SparkEnv", "environment"),
    ("storage.DiskBlockManager", "local directory"),
    ("storage.BlockManagerMaster", "registration"),
    ("util.Utils", "service port"),
    ("util.ShutdownHookManager", "shutdown hook"),
    ("netty.NettyBlockTransferService", "block transfer"),
    ("scheduler.DAGScheduler", "missing stage"),
    ("scheduler.TaskSchedulerImpl", "task set"),
    ("spark.ContextCleaner", "accumulator"),
    ("output.FileOutputCommitter", "output commit"),
    ("Configuration.deprecation", "configuration key"),
    ("slf4j.Slf4jLogger", "event logger"),
)
SPARK_SPEECHES = (
    "INFO {}: Started {} for stage {{n:60}} on {{host}}",
    "WARN {}: Lost {} on executor {{n:16}}: retry {{n:4}} of 4 in {{n:5000}} ms",
)
SPARK = Corpus(
    stamp="15/09/{day:02} {hour:02}:{minute:02}:{second:02} ",
    frequent={
        "INFO storage.BlockManager: Found block rdd_{rdd} locally": 24,
        "INFO executor.Executor: Running task {decimal} in stage {decimal} (TID {n:100000})": 14,
        "INFO executor.Executor: Finished task {decimal} in stage {decimal} (TID {n:100000}). "
        "{n:4000} bytes result sent to driver": 14,
        "INFO executor.CoarseGrainedExecutorBackend: Got assigned task {n:100000} "
        "of job {n:40}": 12,
        "INFO python.PythonRunner: Times: total = {n:900}, boot = {n:90}, init = {n:90}, "
        "finish = {n:90}": 8,
        "INFO storage.MemoryStore: Block broadcast_{n:200}_piece0 stored as bytes in memory "
        "(estimated size {decimal} KB, free {decimal} MB)": 5,
        "INFO broadcast.TorrentBroadcast: Reading broadcast variable {n:200} took {n:300} ms": 3,
        "INFO storage.ShuffleBlockFetcherIterator: Getting {n:200} non-empty blocks out of "
        "{n:200} blocks": 2,
        "INFO rdd.HadoopRDD: Input split: hdfs://{address}:9000/benchmarks/input/part-{part}:"
        "{n:134217728}+134217728": 2,
        "DEBUG storage.BlockManagerSlaveEndpoint: user=spark ip=/{address} cmd=remove "
        "block=rdd_{rdd} result=true": 1,
    },
    rare=tuple(speech.format(*who) for who in SPARK_SPEAKERS for speech in SPARK_SPEECHES),
    landmarks=(
        "INFO spark.ContextCleaner: Started accumulator for stage {n:60} on {host}",
        "INFO storage.BlockManager: Found block rdd_42_7 locally",
        "INFO python.PythonRunner: Times: total = {n:900}, boot = 17, init = {n:90}, "
        "finish = {n:90}",
        "INFO storage.MemoryStore: Block broadcast_117_piece0 stored as bytes in memory "
        "(estimated size {decimal} KB, free {decimal} MB)",
        "INFO executor.Executor: Finished task {decimal} in stage 12.0 (TID {n:100000}). "
        "2077 bytes result sent to driver",
        "DEBUG storage.BlockManagerSlaveEndpoint: user=spark ip=/10.0.3.7 cmd=remove "
        "block=rdd_{rdd} result=true",
        "WARN util.Utils: Lost service port on executor {n:16}: retry 3 of 4 in {n:5000} ms",
    ),
)
CORPORA = {"hadoop": HADOOP, "spark": SPARK}


@dataclass
class Writer:
    """The writer of the lines of one file: a container of an application."""

    random: SplitMix64
    application: int
    container: int
    clock_ms: int = 0


Field = Callable[[Writer], str]


def number(limit: int) -> Field:
    return lambda writer: str(writer.random.bounded(limit))


def task(kind: str) -> Field:
    def text(writer: Writer) -> str:
        drawn = writer.random.bounded(TASKS_OF_AN_APPLICATION)
        return f"1445144423722_{writer.application:04}_{kind}_{drawn:06}"

    return text


def attempt(kind: str) -> Field:
    of_task = task(kind)
    # One attempt in eight is a second attempt.
    return lambda writer: f"{of_task(writer)}_{int(writer.random.bounded(8) == 0)}"


def container(writer: Writer) -> str:
    drawn = writer.random.bounded(TASKS_OF_AN_APPLICATION) + 1
    return f"1445144423722_{writer.application:04}_01_{drawn:06}"


def fraction(writer: Writer) -> str:
    return f"0.{writer.random.bounded(100_000_000):08}"


def decimal(writer: Writer) -> str:
    drawn = writer.random.bounded(10_000)
    return f"{drawn // 10}.{drawn % 10}"


# The fields in braces that templates may contain; {n:LIMIT} is an integer below the limit.
FIELDS: dict[str, Field] = {
    "map": attempt("m"),
    "reduce": attempt("r"),
    "task": task("m"),
    "container": container,
    "application": lambda writer: f"1445144423722_{writer.application:04}",
    "host": lambda writer: f"node-{writer.random.bounded(HOSTS):02}.cluster.example",
    "address": lambda writer: f"10.0.{writer.random.bounded(4)}.{writer.random.bounded(HOSTS) + 1}",
    "block": lambda writer: str(1_073_741_825 + writer.random.bounded(100_000)),
    "rdd": lambda writer: f"{writer.random.bounded(60)}_{writer.random.bounded(40)}",
    "fraction": fraction,
    "decimal": decimal,
    "part": lambda writer: f"{writer.random.bounded(200):05}",
}
FIELD = re.compile(r"\{(\w+)(?::(\d+))?\}")


class Template:
    """A message that can be written."""

    def __init__(self, text: str) -> None:
        self.fields: list[Field] = []

        def placed(match: re.Match[str]) -> str:
            name, limit = match.groups()
            self.fields.append(number(int(limit)) if limit else FIELDS[name])
            return "%s"

        self.form = FIELD.sub(placed, text.replace("%", "%%"))

    def line(self, writer: Writer) -> str:
        return self.form % tuple(field(writer) for field in self.fields)


class Lines:
    """The lines of a workload: templates with their weights."""

    def __init__(self, corpus: Corpus) -> None:
        self.stamp = corpus.stamp
        self.landmarks = [Template(text) for text in corpus.landmarks]
        # Messages are drawn by weight: a frequent message occurs several times in this list.
        self.tickets: list[Template] = []
        for text, percent in corpus.frequent.items():
            self.tickets += [Template(text)] * (percent * len(corpus.rare))
        for text in corpus.rare:
            self.tickets += [Template(text)] * (100 - sum(corpus.frequent.values()))

    def file(self, index: int, size: int, random: SplitMix64) -> Iterator[str]:
        """Lines until they have this many bytes. The last line ends the file."""
        writer = Writer(random, index // FILES_OF_AN_APPLICATION + 1, index + 1)
        writer.clock_ms = 64_907_978 + 1000 * random.bounded(7200)  # some time after 18:01:47,978
        landmarks = self.landmarks if index == 0 else []
        written = 0
        for template in landmarks:
            line = self.stamped(template, writer)
            written += len(line)
            yield line
        while written < size or written == 0:
            line = self.stamped(self.tickets[random.bounded(len(self.tickets))], writer)
            written += len(line)
            yield line

    def stamped(self, template: Template, writer: Writer) -> str:
        writer.clock_ms += writer.random.bounded(900)
        seconds, ms = divmod(writer.clock_ms, 1000)
        minutes, second = divmod(seconds, 60)
        hours, minute = divmod(minutes, 60)
        day, hour = divmod(hours, 24)
        stamp = self.stamp.format(day=18 + day % 10, hour=hour, minute=minute, second=second, ms=ms)
        return f"{stamp}{template.line(writer)}\n"


def generate(workload: str, seed: int, files: int, size: int) -> Iterator[tuple[str, list[str]]]:
    """The name and the lines of each file. Raises RequestError if an argument is invalid."""
    if workload not in CORPORA:
        raise RequestError(f"workload {workload!r} is unknown, choose from {', '.join(CORPORA)}")
    if not 0 <= seed <= MASK_64:
        raise RequestError(f"give a seed from 0 to 2^64 - 1, not {seed}")
    if not 1 <= files <= MOST_FILES:
        raise RequestError(f"ask for 1 to {MOST_FILES} files, not {files}")
    if size < LEAST_BYTES:
        raise RequestError(f"ask for files of at least {LEAST_BYTES} byte, not {size}")
    lines = Lines(CORPORA[workload])
    random = SplitMix64(seed)
    for index in range(files):
        # Sizes are uniform between half and one and a half times the mean.
        drawn = size // 2 + random.bounded(size + 1)
        yield f"{index:06}.log", list(lines.file(index, drawn, random))


def write(folder: Path, made: Iterator[tuple[str, list[str]]], total: int) -> None:
    folder.mkdir()
    for done, (name, lines) in enumerate(made, 1):
        with (folder / name).open("w", encoding="ascii", newline="\n") as file:
            file.writelines(lines)
        if sys.stderr.isatty() and (done % 50 == 0 or done == total):
            end = "\n" if done == total else ""
            print(f"\rlog: {done} of {total} files", end=end, file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Make a folder of logs for the benchmark log.")
    parser.add_argument("--workload", choices=list(CORPORA), required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--files", type=int, required=True, help="how many")
    parser.add_argument("--bytes", type=int, required=True, help="mean size of a file")
    parser.add_argument("--output", type=Path, required=True, help="the folder to make")
    options = parser.parse_args()
    try:
        made = generate(options.workload, options.seed, options.files, options.bytes)
        write(options.output, made, options.files)
    except (RequestError, OSError) as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
