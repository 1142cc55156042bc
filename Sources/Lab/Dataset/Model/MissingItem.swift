// SPDX-License-Identifier: Apache-2.0
import Base

/// Something that is known to have been produced, and is not here. `LabFleet`, `LabUploads` and `DeviceFolder`
/// find them; a row of `missing.csv`.
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

    /// An item that waits on its device for longer is a hole.
    static let waitingLimit: Duration = .seconds(7 * 86_400)

    /// What is wrong where an item that a manifest names is not here; nil where its absence is explained. `waited` is
    /// the time since a manifest named it first. An answer is delivered here only where `answersComeHere`.
    package static func problem(
        _ state: String, _ kind: Kind, why: String?, waited: Duration, answersComeHere: Bool
    ) -> String? {
        guard why == nil else { return nil }
        switch state {
        case "given up", "deleted": return "\(state), without a reason"
        case "waiting": return waited > waitingLimit ? "waiting for more than seven days" : nil
        default: return kind == .submission && !answersComeHere ? nil : "delivered by the device's word, but not here"
        }
    }
}

extension LocalDate {
    /// The days between this one and `next`, which have whole manifests.
    package func daysWithoutManifest(before next: LocalDate) -> [LocalDate] {
        // A clock that was wrong may put years between two.
        (1..<max(1, min(32, next.daysSinceEpoch - daysSinceEpoch))).map { adding(days: $0) }
    }
}
