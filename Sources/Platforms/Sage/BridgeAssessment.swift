// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// What a task is at a Bridge server. Sage's apps name the `instanceGuid` of Bridge's schedule, from which the
/// server looks this up; without that schedule it can be given directly, in `study.toml`, and `SageWriter`
/// sends it with the upload.
struct BridgeAssessment: Sendable, Hashable {
    let guid: String
    let revision: Int

    /// Nil where the task's table names none. BridgeDownstream fails on a record with an id and without a revision,
    /// so that one key needs the other.
    init?(_ settings: JSONPlace?, _ findings: inout Findings) {
        guard let settings, settings.member("assessment_guid") != nil || settings.member("assessment_revision") != nil
        else { return nil }
        let guid = findings.requiredText("assessment_guid", in: settings)
        let revision = findings.integer("assessment_revision", 1...1_000_000, in: settings)
        guard let guid, let revision else { return nil }
        self.guid = guid
        self.revision = revision
    }
}
