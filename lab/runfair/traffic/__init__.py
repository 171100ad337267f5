"""Production captures turned into the load generator's traffic files, and compared with replays.

capture.read_capture        a file of any known format, recognised by its content, as requests
conversion.write_traffic    requests as a traffic file, without credentials unless asked for
comparison.compare          how far a replay is from what was recorded

One format a file: har, access_log, json_log, packet_capture, goreplay, k6, vegeta, traffic_file.
Files are read as streams; only one HAR entry and a connection's open messages are in memory.
"""
