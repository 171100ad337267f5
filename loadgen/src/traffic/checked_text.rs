//! JSON strings that are checked while they are read.

/// A string type that is checked while it is read, so that an error knows its
/// column. The closure makes the value, or says what is wrong.
macro_rules! checked_text {
    ($(#[$meta:meta])* $name:ident($inner:ty), $check:expr) => {
        #[derive(Debug, Deserialize, JsonSchema)]
        #[serde(try_from = "String")]
        $(#[$meta])*
        pub(super) struct $name(#[schemars(with = "String")] pub $inner);

        impl TryFrom<String> for $name {
            type Error = String;

            fn try_from(text: String) -> Result<Self, String> {
                $check(text).map(Self)
            }
        }
    };
}

pub(super) use checked_text;
