//! What `--help` teaches beyond the options.

/// One line.
pub const ABOUT: &str =
    "An open-loop load generator without coordinated omission, at almost no cost";

/// What `--help` begins with.
pub const INTRODUCTION: &str = "\
An open-loop load generator without coordinated omission, at almost no cost.

An open loop sends each request at an instant fixed beforehand, whatever the server does, as \
independent users would. A closed loop waits for an answer before it sends again, so a server \
that stalls gets fewer requests, and the stall hardly shows in the percentiles. This generator \
counts latency from the intended instant of a request, and it drops and corrects nothing \
afterwards. Every run has a verdict on its figures: fair, flagged or void.

The first connections are opened before the run. If a request waits for a connection that is \
opened during the run, its queue wait and its latency include the connecting and the TLS \
handshake. Both steps also have figures of their own.";

/// What `-h` ends with.
pub const MORE: &str = "--help explains more, with examples.";

/// What `--help` ends with.
pub const EXAMPLES: &str = "\
Examples:
  10,000 requests a second for 30 s, the first 5 s marked as warm-up:
    runfair-load --rate 10k --duration 30s --warmup 5s http://localhost:8080/

  A ramp up to a plateau with independent arrivals, everything kept in files:
    runfair-load --rate 1000..5000:30s,5000:1m --arrivals poisson \\
        --json run.json --hlog run.hlog --records run.records http://localhost:8080/

  Orders with a body that differs each time, and answers that must be right:
    runfair-load --rate 200 --duration 1m --header 'Content-Type: application/json' \\
        --body '{\"order\": ${sequence}, \"item\": ${random:1..500}}' \\
        --expect-status 201 --expect-json /accepted=true https://localhost:8443/orders

  Redis, one write to nine reads of 100,000 keys that are set beforehand:
    runfair-load --rate 20k --duration 10s --keys 100k --value-bytes 64 \\
        --operations set:1,get:9 --preload redis://localhost

  HTTP/2 without TLS, and a unary gRPC call (of an empty message):
    runfair-load --rate 2k --http2 --streams 10 http://localhost:8080/
    runfair-load --rate 500 --grpc helloworld.Greeter/SayHello http://localhost:50051

  Three servers that share the load, each with a third of the connections:
    runfair-load --rate 3k --connections 60 \\
        http://localhost:8081/ http://localhost:8082/ http://localhost:8083/

  How much the server can take at most (percentiles of a closed loop are flagged):
    runfair-load --closed --requests 1M --pipeline 16 http://localhost:8080/

Exit status: 0 measured; 2 a mistake in what was asked; 3 void; 4 flagged, with
--fail-on flagged; 1 a bug. Ctrl-C ends a run early and still writes everything.";
