// SPDX-License-Identifier: Apache-2.0

/// A study as it was found, and as it is understood: read by `StudyFinder` from a file or a server, by
/// `StudyReading` from the store, by `StudyUpdateCheck` as a new version.
package struct LoadedStudy: Sendable {
    /// The study as decoded, the same for all platforms.
    package private(set) var study: StudyProtocol
    /// Its platform, without the settings of a configuration file.
    package let platform: any StudyPlatform
    /// The file exactly as received, or the bundle of several.
    package let bytes: [UInt8]
    /// Path or address it came from.
    package let origin: String
    /// The file of its rules, where they were kept at an enrolment; nil elsewhere.
    package private(set) var rulesFile: [UInt8]?

    package init(
        _ study: StudyProtocol, of platform: any StudyPlatform, bytes: [UInt8], origin: String,
        rulesFile: [UInt8]? = nil
    ) {
        var study = study
        study.planZone = type(of: platform).planZone
        self.study = study
        self.platform = platform
        self.bytes = bytes
        self.origin = origin
        self.rulesFile = rulesFile
    }

    package func with(_ rules: StudyRules, from file: [UInt8]? = nil) -> LoadedStudy {
        var copy = self
        (copy.study.rules, copy.rulesFile) = (rules, file)
        return copy
    }

    package func with(remarks: [Remark]) -> LoadedStudy {
        var copy = self
        copy.study.remarks = remarks
        return copy
    }

    /// The same study without tasks of these keys; what it does not have is passed over.
    package func without(_ keys: [String]) -> LoadedStudy {
        var copy = self
        copy.study = study.leavingOut { keys.contains($0.key) }
        return copy
    }
}
