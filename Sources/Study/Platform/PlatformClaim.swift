// SPDX-License-Identifier: Apache-2.0

/// How sure a platform is that it is meant. `PlatformCatalog` asks the surest one; of two equally sure ones the
/// first of the catalog.
package enum PlatformClaim: Int, Sendable, Comparable {
    case none
    /// It could be: an address at which it may have a study.
    case possible
    /// No other platform is meant: a scheme, a key or an option that only it has.
    case certain

    /// By how sure it is.
    package static func < (first: PlatformClaim, second: PlatformClaim) -> Bool { first.rawValue < second.rawValue }
}
