// SPDX-License-Identifier: Apache-2.0

/// A study as it was found, and as it is understood.
package struct LoadedStudy: Sendable {
    /// The study as decoded, the same for all platforms.
    package let study: StudyProtocol
    /// Its platform, without the settings of a configuration file.
    package let platform: any StudyPlatform
    /// The file exactly as received, or the bundle of several.
    package let bytes: [UInt8]
    /// Path or address it came from.
    package let origin: String
    /// The file of its rules, where they were kept at an enrolment; nil elsewhere.
    package let rulesFile: [UInt8]?

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
        var study = study
        study.rules = rules
        return LoadedStudy(study, of: platform, bytes: bytes, origin: origin, rulesFile: file)
    }

    package func with(remarks: [Remark]) -> LoadedStudy {
        var study = study
        study.remarks = remarks
        return LoadedStudy(study, of: platform, bytes: bytes, origin: origin, rulesFile: rulesFile)
    }

    /// The same study without tasks of these keys; what it does not have is passed over.
    package func without(_ keys: [String]) -> LoadedStudy {
        guard !keys.isEmpty else { return self }
        return LoadedStudy(
            study.leavingOut { keys.contains($0.key) }, of: platform, bytes: bytes, origin: origin,
            rulesFile: rulesFile)
    }
}
