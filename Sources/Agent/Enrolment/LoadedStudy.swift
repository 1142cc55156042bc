// SPDX-License-Identifier: Apache-2.0
import AgentCore
import Glibc
import PlatformKit
import Platforms
import StudyModel
import SystemKit

extension LoadedStudy {
    /// A study of these bytes; throws `StudyFormatError` with every problem found.
    public init(_ bytes: [UInt8], origin: String, platform name: PlatformName? = nil) throws {
        let source = StudyBundle.source(bytes) ?? StudySource(bytes, name: origin)
        let platform = try PlatformCatalog.standard.platform(of: source, named: name)
        self.init(try platform.reader.decode(source), of: platform, bytes: bytes, origin: origin)
    }

    /// Reads the study that `source` names, for somebody who looks at it: a file, a folder, or what a platform has a server for.
    public static func load(
        _ source: String, platform: PlatformName? = nil, arguments: PlatformArguments = PlatformArguments(),
        of platforms: PlatformCatalog = .standard
    ) throws -> LoadedStudy {
        let request = JoinRequest(source: source, arguments: arguments)
        return try StudyFinder(platforms, over: StudyConnection()).find(request, platform: platform).loaded
    }
}

/// Downloads, blocking, with a client of their own.
public enum StudyFetch {
    /// Whatever is at an address.
    public static func get(_ url: String) throws -> [UInt8] { try StudyConnection().get(url) }
}

/// What this program calls itself.
public enum AgentVersion {
    /// The version, kept in the event log at every start.
    public static let text = "0.1.0"
    /// Sent as `User-Agent` with downloads and deliveries.
    public static let userAgent = "studyd/" + text
}

/// Reads whole files that came from outside, up to a limit.
public enum BoundedFile {
    /// The bytes of a file of at most `limit` bytes.
    public static func read(_ path: String, limit: Int = 8 << 20) throws -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFault(path: path, message: String(cString: strerror(errno))) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw FileFault(path: path, message: String(cString: strerror(errno))) }
            if count == 0 { return bytes }
            bytes.append(contentsOf: chunk[..<count])
            guard bytes.count <= limit else { throw FileFault(path: path, message: "is larger than \(limit) bytes") }
        }
    }

    /// The text of a file of at most 1 MiB.
    public static func text(_ path: String) throws -> String {
        String(decoding: try read(path, limit: 1 << 20), as: UTF8.self)
    }
}

/// A file that cannot be read or written.
public struct FileFault: ExplainedError, Sendable, Hashable {
    /// As it was given to the operation that failed.
    public let path: String
    /// What is wrong, without the path.
    public let message: String
    /// What to do about it; nil where nothing is known.
    public let remedy: String?

    /// What is wrong with the file at `path`.
    public init(path: String, message: String, remedy: String? = nil) {
        self.path = path
        self.message = message
        self.remedy = remedy
    }

    /// The path is the place.
    public var explanation: Explanation { Explanation(place: path, cause: message, remedy: remedy) }
}
