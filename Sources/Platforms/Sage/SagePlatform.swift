// SPDX-License-Identifier: Apache-2.0
import Study

extension PlatformName {
    /// SageResearch and the assessments of Sage Bionetworks that came after it.
    package static let sage = PlatformName(rawValue: "sage")
}

/// SageResearch: a study is a folder of task files, unmodified, and a `study.toml` that says where results go
/// and when which task is due. One of `PlatformCatalog.kinds`.
///
/// Tasks of v1 to v3 (forms), of v4 and later (questions) and those of the published JSON schemas
/// are read alike. A run becomes one archive, as Bridge takes it.
package struct SagePlatform: StudyPlatform {
    package static let name = PlatformName.sage
    /// As its makers write it.
    package static let title = "SageResearch"
    /// Bridge's schedules are times of day on the phone.
    package static let planZone = PlanZone.participant

    package static let table: String? = "sage"

    private let settings: SageSettings

    /// Without an account at a Bridge server.
    package init() { settings = SageSettings() }

    package init(_ table: any SettingsTable) throws { settings = try SageSettings(table) }

    /// Task files name no address; the `study.toml` beside them does.
    package var addressRemedy: String { "write `destination = \"https://...\"` into the study's study.toml" }

    package var reader: any StudyReader { SageReader() }
    package var wire: any StudyWire { SageWire(settings) }
}
