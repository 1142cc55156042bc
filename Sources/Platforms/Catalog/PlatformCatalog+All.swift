// SPDX-License-Identifier: Apache-2.0
import PlatformESMira
import PlatformMyStudies
import PlatformSage
import PlatformSchema
import Study

extension PlatformCatalog {
    /// Every platform that is understood: one line each, in the order in which they are asked
    /// whether a study is theirs.
    package static let kinds: [any StudyPlatform.Type] = [
        SchemaPlatform.self,
        MyStudiesPlatform.self,
        ESMiraPlatform.self,
        SagePlatform.self,
    ]

    /// All of them, each with the settings it has without a configuration.
    package static let standard = PlatformCatalog(kinds)
}
