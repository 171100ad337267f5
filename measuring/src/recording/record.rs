//! Records of fixed size, which a file's first line describes.

use serde::{Deserialize, Serialize};

/// One field of a record, as the first line of a file describes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// `u64`, `u32`, `u16` or `u8`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Bytes from the record's start.
    pub offset: usize,
}

/// Defines a record of a number of bytes. In a file its fields follow one another without gaps,
/// little-endian, and zeros fill the rest.
#[macro_export]
macro_rules! record {
    (
        $(#[$attribute:meta])*
        pub struct $name:ident: $bytes:literal {
            $($(#[$of_field:meta])* pub $field:ident: $kind:ident,)*
        }
    ) => {
        $(#[$attribute])*
        pub struct $name {
            $($(#[$of_field])* pub $field: $kind,)*
        }

        impl $name {
            /// The size of a record in a file.
            pub const BYTES: usize = $bytes;

            /// The fields, as a file's first line describes them.
            pub fn fields() -> Vec<$crate::recording::record::Field> {
                [$((stringify!($field), stringify!($kind), size_of::<$kind>())),*]
                    .into_iter()
                    .scan(0, |end, (name, kind, bytes)| {
                        let offset = *end;
                        *end += bytes;
                        let (name, kind) = (name.to_owned(), kind.to_owned());
                        Some($crate::recording::record::Field { name, kind, offset })
                    })
                    .collect()
            }

            /// The record as it stands in the file.
            pub fn bytes(&self) -> [u8; $bytes] {
                let mut bytes = [0; $bytes];
                let mut end = 0;
                $(
                    let start = end;
                    end += size_of::<$kind>();
                    bytes[start..end].copy_from_slice(&self.$field.to_le_bytes());
                )*
                bytes
            }
        }
    };
}

#[cfg(test)]
mod tests {
    record! {
        /// A record with a field of each type.
        pub struct Sample: 16 {
            /// The widest.
            pub instant: u64,
            /// The narrowest.
            pub kind: u8,
            /// Between both.
            pub thread: u16,
            /// Not aligned.
            pub connection: u32,
        }
    }

    #[test]
    fn every_field_stands_where_the_header_says() {
        let sample = Sample {
            instant: u64::MAX - 1,
            kind: 2,
            thread: 0x0403,
            connection: 0x0807_0605,
        };
        let bytes = [
            254, 255, 255, 255, 255, 255, 255, 255, 2, 3, 4, 5, 6, 7, 8, 0,
        ];
        assert_eq!(sample.bytes(), bytes);
        assert_eq!(Sample::BYTES, bytes.len());
        let fields = Sample::fields();
        let fields: Vec<_> = fields
            .iter()
            .map(|field| (field.name.as_str(), field.kind.as_str(), field.offset))
            .collect();
        let expected = [
            ("instant", "u64", 0),
            ("kind", "u8", 8),
            ("thread", "u16", 9),
            ("connection", "u32", 11),
        ];
        assert_eq!(fields, expected);
    }
}
