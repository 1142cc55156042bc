// SPDX-License-Identifier: Apache-2.0

/// The key by which the receiver tells enrolled devices apart: study, device and enrolment. studyd calls its
/// device by the participant's name, so that a clone or the next device has the same name, but another
/// enrolment. The databases of `FleetArchive` have it as one text (`id`), which `LabFleet` and pages take
/// apart.
package struct FleetSource {
    package let study: String
    /// The device's own name.
    package let device: String
    package let enrolment: String?
    /// The control character "unit separator".
    private static let separator: Character = "\u{1F}"

    package init(_ id: String) {
        let parts = id.split(separator: Self.separator, omittingEmptySubsequences: false).map(String.init)
        study = parts.first ?? ""
        device = parts.count == 3 ? parts[1] : id
        enrolment = parts.count == 3 && !parts[2].isEmpty ? parts[2] : nil
    }

    package static func id(study: String, device: String, enrolment: String?) -> String {
        [study, device, enrolment ?? ""].joined(separator: String(separator))
    }
}
