// SPDX-License-Identifier: Apache-2.0
import PlatformESMira
import PlatformKit
import PlatformMyStudies
import PlatformSchema

extension PlatformCatalog {
    /// Every platform that is understood: one line each, in the order in which they are asked whether a study is theirs.
    public static let kinds: [any StudyPlatform.Type] = [
        SchemaPlatform.self,
        MyStudiesPlatform.self,
        ESMiraPlatform.self,
    ]

    /// All of them, as without a configuration.
    public static let standard = PlatformCatalog(kinds)
}
