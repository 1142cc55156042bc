// SPDX-License-Identifier: Apache-2.0
import PlatformESMira
import PlatformMyStudies
import PlatformSage
import PlatformSchema
import Study

extension PlatformCatalog {
    /// Every platform that is understood, in the order in which they are asked whether a study is theirs.
    /// `AgentConfiguration` gives each its table of studyd.toml.
    package static let kinds: [any StudyPlatform.Type] = [
        SchemaPlatform.self,
        MyStudiesPlatform.self,
        ESMiraPlatform.self,
        SagePlatform.self,
    ]

    /// All of them, each with the settings it has without a configuration: `StudyReading` recognises and reads
    /// studies with these.
    package static let standard = PlatformCatalog(kinds)
}
