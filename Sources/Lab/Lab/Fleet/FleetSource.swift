// SPDX-License-Identifier: Apache-2.0

/// Tells sources of reports apart. studyd calls its device by the participant's name, so that a
/// clone or the next device has the same name, but another enrolment.
enum FleetSource {
    static func id(study: String, device: String, enrolment: String?) -> String {
        [study, device, enrolment ?? ""].joined(separator: "\u{1F}")
    }

    static func study(of id: String) -> String { String(id.prefix { $0 != "\u{1F}" }) }

    /// The device's own name.
    static func device(of id: String) -> String {
        let parts = id.split(separator: "\u{1F}", omittingEmptySubsequences: false)
        return parts.count == 3 ? String(parts[1]) : id
    }

    static func enrolment(of id: String) -> String? {
        let parts = id.split(separator: "\u{1F}", omittingEmptySubsequences: false)
        return parts.count == 3 && !parts[2].isEmpty ? String(parts[2]) : nil
    }
}
