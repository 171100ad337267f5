"""Captures of production traffic: they are converted to the load generator's traffic files, and
compared with replays.

    capture.read_capture        a file of any known format, recognised by its content, as requests
    conversion.write_traffic    requests as a traffic file, without credentials unless asked for
    summary.compare             how far a replay differs from its recording

Each format has its own module: har, access_log, json_log, packet_capture, goreplay, k6, vegeta,
traffic_file. Files are read as streams. Only one HAR entry and the incomplete messages of open
connections are kept in memory.
"""
