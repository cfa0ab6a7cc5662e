//! Which addresses are the public internet's.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Ranges of IPv4 that lead somewhere else, or nowhere: address and bits.
const V4: &[(Ipv4Addr, u32)] = &[
    // This network, unspecified.
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    // Shared by providers with their customers.
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    // Link-local, where clouds tell machines their secrets.
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    // Documentation.
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    // Relays to IPv6, given up.
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    // Benchmarks.
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    // Multicast, and what is reserved up to broadcast.
    (Ipv4Addr::new(224, 0, 0, 0), 3),
];

/// All that is given out of IPv6. Loopback, local, multicast, v4-mapped and
/// NAT64 addresses lie outside.
const V6_GLOBAL: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// Ranges within that are not public.
const V6: &[(Ipv6Addr, u32)] = &[
    // For protocols, Teredo among them.
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    // Documentation.
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    // 6to4, which carries any IPv4 address.
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];

pub(super) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => !V4.iter().any(|range| holds_v4(*range, address)),
        IpAddr::V6(address) => {
            holds_v6(V6_GLOBAL, address) && !V6.iter().any(|range| holds_v6(*range, address))
        }
    }
}

fn holds_v4((range, bits): (Ipv4Addr, u32), address: Ipv4Addr) -> bool {
    (range.to_bits() ^ address.to_bits()) >> (32 - bits) == 0
}

fn holds_v6((range, bits): (Ipv6Addr, u32), address: Ipv6Addr) -> bool {
    (range.to_bits() ^ address.to_bits()) >> (128 - bits) == 0
}

#[cfg(test)]
#[path = "address_tests.rs"]
mod tests;
