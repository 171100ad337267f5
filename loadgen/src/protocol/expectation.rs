//! What a good HTTP answer looks like, compiled from the command line or the
//! traffic file.

/// The rules one answer has to satisfy.
///
/// The status is checked of every answer; the body only of a sampled share,
/// since a digest can cost more than the request itself.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Expectation {
    /// Which status codes are good.
    pub status: StatusRule,
    /// Rules the body has to satisfy, all of them.
    pub body: Vec<BodyRule>,
}

/// Which HTTP status codes are good.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum StatusRule {
    /// 200 to 399: the server did what it was asked, or said where to go.
    #[default]
    Success,
    /// Exactly one of these codes.
    OneOf(Vec<u16>),
    /// Every code of a class: 2 stands for 200 to 299.
    Class(u16),
}

impl StatusRule {
    /// Whether the code is good.
    pub fn allows(&self, code: u16) -> bool {
        match self {
            Self::Success => (200..=399).contains(&code),
            Self::OneOf(codes) => codes.contains(&code),
            Self::Class(class) => code / 100 == *class,
        }
    }
}

/// One rule a body has to satisfy.
#[derive(Debug, Clone, PartialEq)]
pub enum BodyRule {
    /// The SHA-256 digest of the whole body.
    Sha256([u8; 32]),
    /// These bytes occur somewhere in the body; no bytes occur in every body.
    Contains(Vec<u8>),
    /// The body is JSON, and at each pointer (RFC 6901) stands this value.
    Json(Vec<(String, serde_json::Value)>),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn success_is_200_to_399() {
        let good: Vec<u16> = (100..=999)
            .filter(|code| StatusRule::Success.allows(*code))
            .collect();
        assert_eq!(good, (200..=399).collect::<Vec<_>>());
        assert_eq!(StatusRule::default(), StatusRule::Success);
    }

    #[test]
    fn one_of_allows_the_named_codes_alone() {
        let rule = StatusRule::OneOf(vec![200, 404]);
        assert!(rule.allows(200) && rule.allows(404));
        assert!(!rule.allows(201) && !rule.allows(500));
        assert!(!StatusRule::OneOf(Vec::new()).allows(200));
    }

    #[test]
    fn a_class_is_its_hundred_codes() {
        let good: Vec<u16> = (100..=999)
            .filter(|code| StatusRule::Class(2).allows(*code))
            .collect();
        assert_eq!(good, (200..=299).collect::<Vec<_>>());
    }
}
