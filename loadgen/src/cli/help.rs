//! What `--help` teaches beyond the options.

/// One line.
pub const ABOUT: &str =
    "An open-loop load generator that avoids coordinated omission and needs little CPU time";

/// What `--help` begins with.
pub const INTRODUCTION: &str = "\
An open-loop load generator that avoids coordinated omission and needs little CPU time.

An open loop sends each request at an instant fixed beforehand, whatever the server does, as \
independent users would. A closed loop waits for an answer before it sends again, so a server \
that stalls gets fewer requests, and the stall hardly shows in the percentiles. This generator \
measures latency from the intended instant of a request. It drops no request, and corrects no \
latency afterwards. Every run has a verdict on its figures: fair, flagged (in doubt) or void.

The first connections are opened before the run. If a request waits for a connection that is \
opened during the run, its queue wait and its latency include the time to connect and the \
TLS handshake. The result also states these two times separately.";

/// What `-h` ends with.
pub const MORE: &str = "--help explains more, with examples.";

/// What `--help` ends with.
pub const EXAMPLES: &str = "\
Examples:
  10,000 requests per second for 30 s, the first 5 s marked as warm-up:
    runfair-load --rate 10k --duration 30s --warmup 5s http://localhost:8080/

  A ramp, then a constant rate, with independent arrivals; all results in files:
    runfair-load --rate 1000..5000:30s,5000:1m --arrivals poisson \\
        --json run.json --hlog run.hlog --records run.records http://localhost:8080/

  Orders with a different body in each request, and a check of each answer:
    runfair-load --rate 200 --duration 1m --header 'Content-Type: application/json' \\
        --body '{\"order\": ${sequence}, \"item\": ${random:1..500}}' \\
        --expect-status 201 --expect-json /accepted=true https://localhost:8443/orders

  Redis, one write for nine reads, with 100,000 keys that are set before the run:
    runfair-load --rate 20k --duration 10s --keys 100k --value-bytes 64 \\
        --operations set:1,get:9 --preload redis://localhost

  HTTP/2 without TLS, and a unary gRPC call (of an empty message):
    runfair-load --rate 2k --http2 --streams 10 http://localhost:8080/
    runfair-load --rate 500 --grpc helloworld.Greeter/SayHello http://localhost:50051

  Three servers that share the load, each with a third of the connections:
    runfair-load --rate 3k --connections 60 \\
        http://localhost:8081/ http://localhost:8082/ http://localhost:8083/

  The highest throughput of the server (percentiles of a closed loop are flagged):
    runfair-load --closed --requests 1M --pipeline 16 http://localhost:8080/

Exit status: 0 measured; 1 a bug; 2 a mistake in the command, or an error of the
system; 3 the verdict is void; 4 the verdict is flagged (with --fail-on flagged),
or a requirement of --require is not met. Ctrl-C ends a run early, but the run
still writes all its files.";
