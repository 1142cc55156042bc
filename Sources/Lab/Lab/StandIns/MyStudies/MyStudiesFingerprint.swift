// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// A digest of each part of a study that studyUpdates speaks of: two versions with the same digest
/// of a part do not differ in it.
struct MyStudiesFingerprint: Hashable, Sendable {
    let consent: String
    let activities: String
    let resources: String
    let info: String

    init(consent: String, activities: String, resources: String, info: String) {
        (self.consent, self.activities, self.resources, self.info) = (consent, activities, resources, info)
    }

    /// Of files by name without `.json`; `activities` are the names of those with an activity.
    /// White space does not count.
    init(_ files: [String: JSONValue], activities: some Sequence<String>) throws {
        func digest(_ names: [String]) throws -> String {
            let texts = names.sorted().map { name in "\(name)\n\(files[name]?.text ?? "")\n" }
            return try Digest(ofText: texts.joined()).description
        }
        consent = try digest(["eligibilityConsent", "consentDocument"])
        self.activities = try digest(["activityList"] + activities)
        resources = try digest(["resources"])
        // Version and status are said beside the flags.
        let settings = files["study"].map { root in
            JSONValue.object(root.members.filter { !["studyVersion", "status"].contains($0.name) })
        }
        info =
            try digest(["studyInfo", "studyDashboard"])
            + Digest(ofText: settings?.text ?? "").description
    }

    /// What has changed since `earlier`; everything where that is not known.
    func updates(since earlier: MyStudiesFingerprint?, status: String) -> JSONValue {
        .members([
            "consent": .boolean(earlier?.consent != consent), "activities": .boolean(earlier?.activities != activities),
            "resources": .boolean(earlier?.resources != resources), "info": .boolean(earlier?.info != info),
            "status": .string(status),
        ])
    }
}
