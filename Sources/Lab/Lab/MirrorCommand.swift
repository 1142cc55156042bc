// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Base
import FoundationEssentials
import Glibc
import SystemKit

struct MirrorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mirror", _superCommandName: "study-receiver",
        abstract: "Fetch what is new in a bucket or on a stick, as a lab's folder.",
        discussion: """
            Files are checked against the SHA-256 in their metadata, manifests and logs against the device's
            signature. What is there already is not fetched again. docs/lab.md has the rest.

            EXAMPLE
              AWS_ACCESS_KEY_ID=lab study-receiver mirror s3://study/mood -o ./lab --s3-url https://s3.lab.example --s3-secret-key key
              study-receiver mirror /media/stick -o ./lab
            """)

    @Argument(help: ArgumentHelp("s3://BUCKET/PREFIX, or a stick's folder.", valueName: "source"))
    var source: String

    @Option(name: [.customShort("o"), .long], help: ArgumentHelp("The lab's folder.", valueName: "dir"))
    var output: String

    @OptionGroup(title: "Bucket") var bucket: BucketOptions

    func run() async throws {
        guard let found = try bucket.source(source, ProcessInfo.processInfo.environment, clock: SystemClock()) else {
            let absent = access(source, F_OK) == 0 ? nil : String(cString: strerror(errno))
            throw FileError(
                path: source,
                message: absent
                    ?? "no bucket, and no stick: labels.json lies in no STUDY/PARTICIPANT/ENROLMENT that can be read",
                remedy: "name s3://BUCKET/PREFIX, or the folder that the device has as 'path' of its destination")
        }
        let outcome = try await fetch(found)
        for problem in outcome.remarks + outcome.problems { errorLine("mirror: \(problem.shown)") }
        print(
            "\(output): \(Plural.of(outcome.files, "file")) and \(ByteText.of(outcome.bytes)) new, "
                + "\(Plural.of(outcome.problems.count, "problem"))"
                + (outcome.erased > 0 ? ", \(outcome.erased) of erased participants left out" : ""))
        if !outcome.problems.isEmpty { throw ExitCode(1) }
    }

    private func fetch(_ source: any MirrorSource) async throws -> Mirror.Outcome {
        let bar = ProgressBar(title: "fetching from \(source.name)")
        defer { bar.end() }
        return try await Mirror(of: source, into: output).run(progress: bar.show)
    }
}
