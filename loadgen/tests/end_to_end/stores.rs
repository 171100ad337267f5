//! RESP2 with an honest store.

use crate::generator::Generator;
use crate::servers::Store;

#[test]
fn set_and_get_in_turn() {
    let store = Store::start();
    let run = Generator::new(
        store.url(),
        "--rate 1000 --requests 1000 --keys 100 --value-bytes 64 --operations set,get",
    )
    .measure();
    assert_eq!(
        run.fates(),
        (1_000, 1_000, 1_000, 1_000),
        "{:?}",
        run.failures()
    );
    assert_eq!((store.count("SET"), store.count("GET")), (500, 500));
    assert_eq!(run.result["protocol"], "resp");
    for command in store.commands() {
        assert!(command[1].starts_with(b"key:0000000000"), "{command:?}");
        if command[0] == b"SET" {
            assert_eq!(command[2].len(), 64);
        }
    }
    // A key is read before it is set now and then, at the beginning above all.
    let misses = run.count("/requests/misses");
    assert!((1..300).contains(&misses), "{misses}");
    assert!(run.findings("limitation").contains(&"misses"));
}

#[test]
fn every_key_is_set_beforehand_if_asked() {
    let store = Store::start();
    let run = Generator::new(
        store.url(),
        "--rate 1000 --requests 300 --keys 500 --value-bytes 100 --operations get --preload",
    )
    .measure();
    assert_eq!(run.fates(), (300, 300, 300, 300));
    assert_eq!(run.count("/requests/misses"), 0);
    assert_eq!(store.keys(), 500);
    assert_eq!((store.count("SET"), store.count("GET")), (500, 300));
}

#[test]
fn large_values_are_set_beforehand_in_little_memory() {
    let store = Store::start();
    let options = "--rate 100 --requests 1 --keys 100 --value-bytes 1M --operations get --preload";
    let run = Generator::new(store.url(), options).measure();
    assert_eq!((store.keys(), run.fates().3), (100, 1));
    // All of them together would be a hundred million bytes.
    let memory = run.count("/generator/peak_rss_bytes");
    assert!(memory < 50 << 20, "{memory}");
}

#[test]
fn every_operation() {
    let store = Store::start();
    let options = "--rate 1000 --requests 600 --keys 10 --operations set,get,del,exists,incr,ping";
    let run = Generator::new(store.url(), options).measure();
    assert_eq!(run.fates(), (600, 600, 600, 600), "{:?}", run.failures());
    for name in ["SET", "GET", "DEL", "EXISTS", "INCR", "PING"] {
        assert_eq!(store.count(name), 100, "{name}");
    }
}

#[test]
fn weighted_operations_pipelined_in_a_closed_loop() {
    let store = Store::start();
    let options = "--closed --requests 2000 --pipeline 16 --keys 50 --operations set:1,get:9";
    let run = Generator::new(store.url(), options).measure();
    assert_eq!(run.fates(), (2_000, 2_000, 2_000, 2_000));
    assert_eq!(run.result["loop"], "closed");
    let sets = store.count("SET");
    // 200 are expected, by 13 more or less.
    assert!((120..=280).contains(&sets), "{sets}");
}

#[test]
fn over_a_unix_socket() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("redis.socket");
    let store = Store::unix(&path);
    let run = Generator::new("redis://localhost", "--rate 1000 --requests 500 --keys 10")
        .option("--unix-socket", &path)
        .measure();
    assert_eq!(run.fates(), (500, 500, 500, 500));
    assert_eq!(store.commands().len(), 500);
}

#[test]
fn a_spoiled_value_is_a_wrong_body() {
    let store = Store::spoiling();
    let run = Generator::new(
        store.url(),
        "--rate 1000 --requests 200 --keys 10 --operations set,get --preload --connections 1",
    )
    .measure();
    assert_eq!(run.fates(), (200, 200, 200, 100));
    assert_eq!(run.failures(), [("wrong_body", 100)].into());
}

#[test]
fn a_store_that_keeps_nothing_is_wrong_after_a_preload() {
    let store = Store::forgetting();
    let options = "--rate 1000 --requests 200 --keys 10 --preload --operations";
    let run = Generator::new(store.url(), &format!("{options} set,get")).measure();
    assert_eq!(run.fates(), (200, 200, 200, 100));
    assert_eq!(run.failures(), [("wrong_body", 100)].into());
    // A missing value is seen without a comparison, so it stands for itself alone.
    let sampling = format!("{options} set,get --check-share 0.5");
    let run = Generator::new(store.url(), &sampling).measure();
    assert_eq!(run.failures(), [("wrong_body", 100)].into());
    assert_eq!(run.count("/requests/checkable"), 100, "the answers to SET");
    assert_eq!(run.count("/requests/wrong_of_checked"), 0);
    // Deleted keys have no value, and the generator does not know which are.
    let run = Generator::new(store.url(), &format!("{options} del,get")).measure();
    assert_eq!(run.fates(), (200, 200, 200, 200));
    assert_eq!(run.count("/requests/misses"), 100);
    assert!(run.findings("limitation").contains(&"misses"));
}

#[test]
fn a_key_without_a_value_has_no_body_to_check() {
    let store = Store::start();
    let options = "--rate 1000 --requests 100 --keys 10 --operations get";
    let run = Generator::new(store.url(), options).measure();
    assert_eq!(run.count("/requests/misses"), 100);
    let noted = run.findings("limitation");
    assert!(noted.contains(&"misses"), "{noted:?}");
    assert!(!noted.contains(&"checked_share"), "{noted:?}");
}

#[test]
fn an_http_server_is_no_store() {
    let server = crate::servers::rogue::always(|stream, _| crate::servers::rogue::close(stream));
    let url = format!("redis://{}", server.address());
    let run = Generator::new(url, "--rate 100 --requests 10 --keys 5 --timeout 300ms").measure();
    assert_eq!(run.fates().3, 0);
    assert_eq!(run.state(), "void");
}
