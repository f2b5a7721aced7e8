//! Packages of FPGAs: which sites are user pins, and in which bank. The files stand in
//! `boards/packages` and are embedded.

use std::collections::BTreeMap;

use serde::Deserialize;

/// The embedded files.
const FILES: [&str; 1] = [include_str!("../packages/cabga381.toml")];

/// A package.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Package {
    /// Name.
    pub name: String,
    banks: BTreeMap<String, String>,
    open: BTreeMap<String, String>,
}

impl Package {
    /// The package of that name.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        all().into_iter().find(|package| package.name == name)
    }

    /// The bank of a site; `None` if it is no user pin.
    #[must_use]
    pub fn bank(&self, site: &str) -> Option<u8> {
        let has = |sites: &&String| sites.split_whitespace().any(|known| known == site);
        self.banks.iter().find(|(_, sites)| has(sites)).and_then(|(bank, _)| bank.parse().ok())
    }

    /// Whether a part connects the site.
    #[must_use]
    pub fn is_bonded(&self, part: &str, site: &str) -> bool {
        let open = self.open.get(part);
        self.bank(site).is_some()
            && !open.is_some_and(|sites| sites.split_whitespace().any(|other| other == site))
    }
}

/// All packages.
#[must_use]
pub fn all() -> Vec<Package> {
    FILES.iter().filter_map(|text| toml::from_str(text).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sites_have_one_bank_and_small_dies_lack_some() {
        let package = Package::find("CABGA381").unwrap();
        let sites: Vec<_> =
            package.banks.values().flat_map(|sites| sites.split_whitespace()).collect();
        let mut unique = sites.clone();
        unique.sort_unstable();
        unique.dedup();
        // Numbers of user pins: Lattice FPGA-DS-02012, table 1.1.
        assert_eq!((sites.len(), unique.len()), (205, 205));
        let bonded = |part| sites.iter().filter(|site| package.is_bonded(part, site)).count();
        assert_eq!(
            ["LFE5U-25F", "LFE5U-45F", "LFE5U-85F"].map(bonded),
            [197, 203, 205],
            "user pins of the dies"
        );
        assert_eq!((package.bank("G2"), package.bank("U3")), (Some(6), None));
    }
}
