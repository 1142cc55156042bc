// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import TOMLFuzz
import Testing

/// Python's tomllib (PEP 680, in Python's own library since 3.11) is another hand's reader of TOML
/// 1.0: the same documents give the same values, and what the one refuses the other does.
@Suite struct TOMLReferenceTests {
    static let project = #filePath.split(separator: "/").dropLast(4).reduce("") { "\($0)/\($1)" }
    static let python = Python.hasTOMLLib

    @Test(.enabled(if: python, "SKIPPED: no python3 with tomllib (3.11 or later)"))
    func madeUpAndDamagedDocumentsAreReadAsPythonReadsThem() throws {
        let documents = (0..<6000).map { number -> [UInt8] in
            var maker = DocumentMaker(number: number)
            return number % 3 == 0 ? maker.document() : maker.damaged(maker.document())
        }
        let readable = try compare(documents)
        #expect((1000...5000).contains(readable), "\(readable) of 6000 could be read")
    }

    @Test(.enabled(if: python, "SKIPPED: no python3 with tomllib (3.11 or later)"))
    func everyBoardAndTheConfigurationAreReadAsPythonReadsThem() throws {
        let files = try Files.named(".toml", in: "\(Self.project)/boards") + ["\(Self.project)/docs/studyd.toml"]
        #expect(files.count > 5)
        let seeds = try files.map(Files.bytes)
        #expect(try compare(seeds) == files.count)
        let damaged = (0..<2000).map { number -> [UInt8] in
            var maker = DocumentMaker(number: number)
            return maker.damaged(seeds[number % seeds.count])
        }
        #expect(try compare(damaged) > 100)
    }

    /// How many of the documents both can read.
    private func compare(_ documents: [[UInt8]]) throws -> Int {
        let readings = try #require(Python.readings(of: documents))
        try #require(readings.count == documents.count)
        for (document, theirs) in zip(documents, readings) {
            let ours = Reading.line(document)
            if ours != theirs {
                Issue.record(
                    "ours \(ours)\ntomllib \(theirs)\nof \(String(decoding: document, as: UTF8.self).debugDescription)")
            }
        }
        return readings.count { $0 != "error" }
    }
}

/// Files of the project and of the machine.
enum Files {
    static func named(_ ending: String, in folder: String) throws -> [String] {
        let stream = try #require(opendir(folder))
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasSuffix(ending) { names.append("\(folder)/\(name)") }
        }
        return names.sorted()
    }

    static func bytes(_ path: String) throws -> [UInt8] {
        let file = try #require(fopen(path, "r"), "\(path)")
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = fread(&buffer, 1, buffer.count, file)
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
        }
    }
}

/// Runs of `tomllib_reference.py`.
enum Python {
    static let hasTOMLLib = run(["python3", "-c", "import tomllib"]) != nil

    static func readings(of documents: [[UInt8]]) -> [String]? {
        let path = "/tmp/studyd-toml-\(getpid())-\(documents.count)"
        guard let file = fopen(path, "w") else { return nil }
        defer { unlink(path) }
        for document in documents {
            fputs("\(document.count)\n", file)
            fwrite(document, 1, document.count, file)
        }
        fclose(file)
        return lines("tomllib_reference.py", path)
    }

    /// The lines that a script beside this file writes.
    static func lines(_ script: String, _ argument: String) -> [String]? {
        let folder = #filePath.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }
        guard let output = run(["python3", "\(folder)/\(script)", argument]) else { return nil }
        return output.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    }

    /// What a program writes; nil when it is missing or fails.
    private static func run(_ arguments: [String]) -> [UInt8]? {
        let path = "/tmp/studyd-toml-output-\(getpid())-\(arguments.reduce(0) { $0 &+ $1.hashValue })"
        defer { unlink(path) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 1, path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        var words = arguments.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var child: pid_t = 0
        guard posix_spawnp(&child, arguments[0], &actions, nil, &words, environ) == 0 else { return nil }
        var status: CInt = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        return status == 0 ? try? Files.bytes(path) : nil
    }
}
