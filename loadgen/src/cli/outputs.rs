//! What a run writes, and whether it can be: found out before the load starts.

use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail};

use super::arguments::{Arguments, OutputArguments};

impl OutputArguments {
    /// The result's file; `None` where it is not asked for or goes to standard output.
    pub fn json_file(&self) -> Option<&Path> {
        self.json.as_deref().filter(|path| path.as_os_str() != "-")
    }
}

/// Whether files can be at the paths, and none is named twice, inputs included.
pub(super) fn check(arguments: &Arguments) -> anyhow::Result<()> {
    let mut taken = inputs(arguments);
    for (option, path) in written(&arguments.output) {
        if path.as_os_str() == "-" {
            if option == "--json" {
                continue;
            }
            bail!("only --json can be written to standard output; name a file for {option}");
        }
        let place = place(option, path)?;
        if let Some((first, _)) = taken.iter().find(|(_, other)| *other == place) {
            // A device takes everything and keeps nothing.
            if !place.exists() || place.is_file() {
                bail!("{first} and {option} name the same file, {path:?}; name two files");
            }
        }
        taken.push((option, place));
    }
    Ok(())
}

fn written(output: &OutputArguments) -> impl Iterator<Item = (&'static str, &Path)> {
    [
        ("--json", &output.json),
        ("--hlog", &output.hlog),
        ("--hgrm", &output.hgrm),
        ("--records", &output.records),
    ]
    .into_iter()
    .filter_map(|(option, path)| Some((option, path.as_deref()?)))
}

/// Files that are read: to write over one would destroy it.
fn inputs(arguments: &Arguments) -> Vec<(&'static str, PathBuf)> {
    [
        ("--traffic", &arguments.traffic.traffic),
        ("--body-file", &arguments.traffic.body_file),
        ("--feed", &arguments.traffic.feed),
        ("--ca", &arguments.protocol.ca),
        ("--certificate", &arguments.protocol.certificate),
        ("--key", &arguments.protocol.key),
    ]
    .into_iter()
    .filter_map(|(option, path)| Some((option, path.as_ref()?.canonicalize().ok()?)))
    .collect()
}

/// The path with its folder resolved, so that two names of one file are alike.
fn place(option: &'static str, path: &Path) -> anyhow::Result<PathBuf> {
    let is_folder = || anyhow!("{option} {path:?} is a folder; name a file");
    if path.is_dir() {
        return Err(is_folder());
    }
    if let Ok(existing) = path.canonicalize() {
        return Ok(existing);
    }
    let name = path.file_name().ok_or_else(is_folder)?;
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    match folder.canonicalize() {
        Ok(resolved) if resolved.is_dir() => Ok(resolved.join(name)),
        _ => bail!(
            "{option} {path:?} cannot be written, because there is no folder {folder:?}; make the \
             folder first",
        ),
    }
}
