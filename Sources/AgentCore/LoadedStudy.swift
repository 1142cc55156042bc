// SPDX-License-Identifier: Apache-2.0
import PlatformKit
import StudyModel

/// A study as it was found, and as it is understood.
public struct LoadedStudy: Sendable {
    /// The study as decoded, the same for all platforms.
    public let study: StudyProtocol
    /// Whose it is, as without a table of the configuration: its rules, and the wire that tells the server.
    public let platform: any StudyPlatform
    /// The file exactly as received, or the bundle of several.
    public let bytes: [UInt8]
    /// Path or address it came from.
    public let origin: String

    /// What `platform` understands of these bytes.
    public init(_ study: StudyProtocol, of platform: any StudyPlatform, bytes: [UInt8], origin: String) {
        self.study = study
        self.platform = platform
        self.bytes = bytes
        self.origin = origin
    }

    /// Tells the study's server what happened.
    public var wire: any StudyWire { platform.wire }
}
