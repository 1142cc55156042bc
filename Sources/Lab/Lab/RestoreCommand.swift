// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Base
import SystemKit

struct RestoreCommand<StandIns: StandInArguments>: ParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "restore", _superCommandName: "study-receiver",
            abstract: "Make a data folder from what 'study-receiver backup' has copied.",
            discussion: """
                Databases and uploads are checked. What is missing or damaged is named, and left out; all else is restored,
                and the command ends with 1.

                EXAMPLE
                  study-receiver restore /mnt/backup/lab --data ./lab
                """)
    }

    @Argument(help: "Folder of the backup.") var backup: String
    @Option(help: ArgumentHelp("Data folder to be made; absent or empty.", valueName: "dir"))
    var data: String

    func validate() throws {
        guard !LabFile.isInside(data, backup) else {
            throw ValidationError("--data \(data) is in the backup \(backup): name a folder elsewhere")
        }
    }

    func run() throws {
        let stores = Erasure(of: "", in: data, StandIns.participantRows(of: "")).stores
        let restore = try Restore(of: backup, to: data, stores)
        let bar = ProgressBar(title: "restoring \(data)")
        defer { bar.end() }
        let outcome = try restore.run(progress: bar.show)
        bar.end()
        for problem in outcome.problems { errorLine("restore: \(problem.shown)") }
        let made = restore.made.rfc3339Zulu()
        print(
            "\(data): \(Plural.of(outcome.files, "file")) and \(ByteText.of(outcome.bytes)) of the backup of \(made), "
                + Plural.of(outcome.problems.count, "problem"))
        print(
            "who was erased after \(made) is in it again, and keys revoked since are good: erase and revoke again; "
                + "devices send what they still have; for what one reported since, such as a deletion request, stop "
                + "its studyd, remove STATE/report and start it")
        if !outcome.problems.isEmpty { throw ExitCode(1) }
    }
}
