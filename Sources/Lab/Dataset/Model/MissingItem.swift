// SPDX-License-Identifier: Apache-2.0
import Base

/// Something that is known to have been produced, and is not here.
package struct MissingItem: Sendable, Hashable {
    package enum Kind: String, Sendable {
        /// A device's manifest names it.
        case recording, submission, memo, file
        /// There is no whole manifest of a day, so that what was produced on it is unknown.
        case manifest
        /// A recording that is here has none.
        case description
        /// An upload of which only a part has arrived.
        case upload
    }

    package let kind: Kind
    package let enrolment: String?
    /// The local day; nil where it is unknown.
    package let day: LocalDate?
    package let name: String
    package var sha256: String?
    package var bytes: Int64?
    /// `delivered`, `waiting`, `given up` or `deleted` by the device's word; else what the
    /// lab knows.
    package let state: String
    /// Why it will not come; nil where nothing explains it.
    package let why: String?
    /// Nothing explains its absence: an export without `--with-holes` fails because of it.
    package let isHole: Bool
}
