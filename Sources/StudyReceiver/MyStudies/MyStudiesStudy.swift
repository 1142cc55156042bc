// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A study of FDA MyStudies that the stand-in serves: the files of a folder, as the study metadata server would answer them.
///
/// `activityList.json`, one `.json` with an `activity` for each activity, `tokens.txt` with an enrolment token a line (without it
/// the study has no token batches), and any `<endpoint>.json` for the other calls of the metadata server.
struct MyStudiesStudy: Sendable {
    /// In capitals, as the Response server compares it.
    let id: String
    /// Nil = anybody may enrol without a token.
    let tokens: Set<String>?
    /// Designs by activity and version, `FKC-74 1.0`.
    let designs: [String: MyStudiesDesign]
    /// Files by name without `.json`.
    let files: [String: [UInt8]]

    /// Reads a folder; throws where it holds no activity, or one that is no JSON.
    init(folder: String) throws {
        var designs: [String: MyStudiesDesign] = [:]
        var files: [String: [UInt8]] = [:]
        var id = ""
        for name in try Self.names(folder) where name.hasSuffix(".json") {
            let bytes = try Self.read(folder + "/" + name)
            files[String(name.dropLast(5))] = bytes
            guard let root = try? JSONReader.value(String(decoding: bytes, as: UTF8.self)),
                let activity = root["activity"], let metadata = activity["metadata"],
                let activityID = metadata["activityId"]?.string
            else { continue }
            designs[Self.key(activityID, metadata["version"]?.string ?? "1.0")] = MyStudiesDesign(activity)
            id = metadata["studyId"]?.string ?? id
        }
        guard !designs.isEmpty else { throw MyStudiesFailure("\(folder) holds no activity of FDA MyStudies") }
        self.id = id.uppercased()
        self.designs = designs
        self.files = files
        let list = (try? Self.read(folder + "/tokens.txt")).map { String(decoding: $0, as: UTF8.self) }
        tokens = list.map { Set($0.uppercased().split(whereSeparator: \.isWhitespace).map(String.init)) }
    }

    /// The design of an activity in a version.
    func design(_ activity: String, _ version: String) -> MyStudiesDesign? { designs[Self.key(activity, version)] }

    private static func key(_ activity: String, _ version: String) -> String { activity + " " + version }

    private static func names(_ folder: String) throws -> [String] {
        guard let directory = opendir(folder) else {
            throw MyStudiesFailure("\(folder): \(String(cString: strerror(errno)))")
        }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                    pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
        }
        return names.sorted()
    }

    private static func read(_ path: String) throws -> [UInt8] {
        guard let file = fopen(path, "r") else {
            throw MyStudiesFailure("\(path): \(String(cString: strerror(errno)))")
        }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&chunk, 1, chunk.count, file), count > 0, bytes.count < 8 << 20 {
            bytes += chunk[..<count]
        }
        return bytes
    }
}

/// Why a folder cannot be served.
struct MyStudiesFailure: Error, Hashable, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

extension JSONValue {
    /// The member of that name; nil for other values than objects.
    subscript(_ name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.name == name }?.value
    }
    var string: String? { if case .string(let text) = self { text } else { nil } }
    var array: [JSONValue]? { if case .array(let values) = self { values } else { nil } }
    var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    var isNull: Bool { if case .null = self { true } else { false } }
}
