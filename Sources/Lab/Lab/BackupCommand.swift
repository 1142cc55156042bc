// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Base
import SystemKit

struct BackupCommand<StandIns: StandInArguments>: ParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "backup", _superCommandName: "study-receiver",
            abstract: "Copy the data folder into another, from which 'study-receiver restore' makes one again.",
            discussion: """
                The server may be running. Into the folder of an earlier backup only what is new is copied, and what the
                data no longer have, as of an erased participant, is removed there: the folder is for the backup alone.
                Uploads that are not whole yet, previews and downloads are no part of it.

                EXAMPLE
                  study-receiver backup --data ./lab -o /mnt/backup/lab
                """)
    }

    @OptionGroup var folder: DataFolderOption
    @Option(name: [.customShort("o"), .long], help: ArgumentHelp("Folder of the backup.", valueName: "folder"))
    var output: String

    func validate() throws {
        guard !LabFile.isInside(output, folder.data) else {
            throw ValidationError("-o \(output) is in \(folder.data), which it is to copy: name a folder elsewhere")
        }
    }

    func run() throws {
        try folder.check()
        let stores = Erasure(of: "", in: folder.data, StandIns.participantRows(of: "")).stores
        let bar = ProgressBar(title: "backing up \(folder.data)")
        defer { bar.end() }
        let outcome = try Backup(of: folder.data, to: output, stores, at: SystemClock().now).run(progress: bar.show)
        bar.end()
        for problem in outcome.problems { errorLine("backup: \(problem.shown)") }
        print(
            "\(output): \(Plural.of(outcome.files, "file")) and \(ByteText.of(outcome.bytes)) new, "
                + "\(outcome.removed) removed, \(Plural.of(outcome.problems.count, "problem"))")
        if !outcome.problems.isEmpty { throw ExitCode(1) }
    }
}
