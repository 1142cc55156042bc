// SPDX-License-Identifier: Apache-2.0
import Base

/// What can be taken from the page: its tables, and the dataset. `PageRoutes` puts it on the page of all
/// participants and on that of each.
///
/// With its recordings a dataset is gigabytes, which a browser has to fetch again from the beginning
/// when the connection breaks; the command goes on where it ended.
struct Downloads {
    let query: LabQuery
    /// The known studies; each is a dataset.
    var studies: [String] = []
    /// Options that name the server's data, as they were given at its start.
    let data: [String]
    let now: Instant

    var html: HTML {
        let tables = LabTables.names.map { name -> HTML in
            """
            <li>\(name) <a href="\(query.address("/tables/\(name).csv"))" aria-label="\(name) as CSV">CSV</a> <a href="\(
            query.address("/tables/\(name).json"))" aria-label="\(name) as JSON">JSON</a>
            """
        }
        return """
            <h3>Download</h3><ul class="facts">\(tables)</ul>
            <p>The dataset, a Data Package with codebook and what is missing, as a zip:</p>
            <ul class="facts">\(datasets)</ul>
            <p>With recordings it may be gigabytes, and take minutes. This command, on this server, writes only what is new:</p>
            <pre tabindex="0">\(command)</pre>
            """
    }

    /// Links to the dataset of each study that is shown, in the days of the address.
    private var datasets: [HTML] {
        let chosen: [String?] = query.study == nil && !studies.isEmpty ? studies : [query.study]
        return chosen.map { study -> HTML in
            let name = study ?? "dataset"
            return """
                <li>\(name) <a href="\(address(study, hasRecordings: false))" aria-label="\(name): tables as a zip">tables</a> <a href="\(
                address(study, hasRecordings: true))" aria-label="\(name): tables and recordings as a zip">with recordings</a>
                """
        }
    }

    private func address(_ study: String?, hasRecordings: Bool) -> String {
        var chosen = LabQuery()
        (chosen.user, chosen.day, chosen.study, chosen.days) = (query.user, query.day, study, query.days)
        let address = chosen.address("/dataset.zip")
        return hasRecordings ? address + (address.contains("?") ? "&" : "?") + "recordings=1" : address
    }

    private var command: String {
        var words = ["study-receiver", "export"] + data + ["-o", "dataset"]
        if let study = query.study { words += ["--study", study] }
        if let user = query.user { words += ["--participant", user] }
        let (from, until) = query.datasetSpan(at: now)
        if let from { words += ["--from", from.description] }
        if let until { words += ["--until", until.description] }
        return words.map(\.shellWord).joined(separator: " ")
    }
}
