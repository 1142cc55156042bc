// SPDX-License-Identifier: Apache-2.0
import Base
import Features
import Study
import SystemKit

/// The file of `studyd enroll --rules`, as it was given: `Enroller` reads it for its study, and keeps its bytes.
package struct RulesFile: Codable, Sendable, Hashable {
    /// For messages.
    package let path: String
    package let bytes: [UInt8]
    /// Probabilities outside 0.05 to 0.95 are intended; else they are refused.
    package let allowsExtremes: Bool

    package init(path: String, bytes: [UInt8], allowsExtremes: Bool = false) {
        (self.path, self.bytes, self.allowsExtremes) = (path, bytes, allowsExtremes)
    }

    package init(_ path: String, allowsExtremes: Bool = false) throws {
        let bytes: [UInt8]
        do { bytes = try BoundedFile.read(path, limit: TOMLTable.maximumSize) } catch let error as FileError {
            throw error.reading("the rules")
        }
        self.init(path: path, bytes: bytes, allowsExtremes: allowsExtremes)
    }

    /// Throws everything that is wrong with it for that study.
    package func read(for study: StudyProtocol, _ sensors: RuleSensors = .catalog) throws -> StudyRules {
        try StudyRulesReader.read(
            bytes, file: path, digest: try Digest(of: bytes).description, study: study, sensors: sensors,
            allowsExtremes: allowsExtremes)
    }
}

extension LoadedStudy {
    /// With the rules that were kept at enrolment; nil = there are none. A task that another version of
    /// the study no longer has is locked.
    func with(rules bytes: [UInt8]?) throws -> LoadedStudy {
        try bytes.map { with(try StudyRules.kept($0), from: $0) } ?? self
    }
}

extension StudyRules {
    /// A file that was accepted at an enrolment.
    static func kept(_ bytes: [UInt8]) throws -> StudyRules {
        try StudyRulesReader.read(
            bytes, file: "rules", digest: try Digest(of: bytes).description, study: nil, sensors: .catalog,
            allowsExtremes: true)
    }
}

extension RuleSensors {
    /// Everything that can be computed, on whatever device.
    package static let catalog = RuleSensors(kinds: kinds, epochs: Epoch.allowed)

    private static let kinds = FeatureCatalog.all.filter { $0.name != "wear" }.map { entry in
        let source =
            switch entry.maker {
            case .motion: "accelerometer"
            case .levels: "sound"
            case .positions: "position"
            }
        return Kind(entry.name, source: source) { length in
            Epoch(length).flatMap(entry.columns)?.map { Column($0.name, $0.unit) }
        }
    }

    /// What a device with these measures computes, and what can be pressed on it.
    init(on fit: MeasuringFit, _ features: FeatureSettings?, _ panel: Panel) {
        self.init(
            kinds: Self.kinds, epochs: Epoch.allowed,
            present: Self.presence(
                fit.channels.contains("accelerometer"),
                remedy: "add a [[measure]] with channel = \"accelerometer\" to studyd.toml"),
            wear: features?.names.contains("wear") == true
                ? nil : "add [features] with is = [\"wear\"] to studyd.toml",
            markers: panel.buttons.filter { $0.role == .marker }.map(\.name))
    }

    package init(on board: BoardDescription) {
        self.init(
            kinds: Self.kinds, epochs: Epoch.allowed,
            present: Self.presence(board.measuresAcceleration, remedy: "use a board with an accelerometer"),
            markers: board.buttons.filter(\.isMarker).map(\.name))
    }

    private static func presence(_ isMeasured: Bool, remedy: String) -> (sources: Set<String>, remedy: String) {
        isMeasured ? (["accelerometer"], "a device computes features of acceleration only") : ([], remedy)
    }
}
