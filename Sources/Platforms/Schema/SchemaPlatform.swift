// SPDX-License-Identifier: Apache-2.0
import Study

extension PlatformName {
    /// schema, and momenTUM, which has the same name here: its studies are sent to the same kind of
    /// server.
    package static let schema = PlatformName(rawValue: "schema")
}

/// schema (schema-app/schema) and its fork momenTUM: a study is one file, fetched from any web server, and
/// records are posted one by one without a sign-in. One of `PlatformCatalog.kinds`.
///
/// A participant's `user_id` is the pseudonym as on most platforms: made once per device and kept over
/// withdrawal and later studies, as in schema's app. momenTUM's app draws a new one at each joining
/// (`storage.service.ts`, `saveStudy`).
package struct SchemaPlatform: StudyPlatform {
    package static let name = PlatformName.schema
    /// Not capitalised, as its authors write it.
    package static let title = "schema"
    /// The app makes all tasks once, at enrolment, as moments (`study-tasks.service.ts`:
    /// `taskTime.toString()`, offset included).
    package static let planZone = PlanZone.enrolment
    package static let options = [
        SchemaOptions.timeouts, SchemaOptions.momentumLogs, SchemaOptions.withoutPhotos, SchemaOptions.allRepeats,
    ]

    package init() {}

    package var reader: any StudyReader { SchemaReader() }
    package var wire: any StudyWire { SchemaWire() }
    package func server(over device: any PlatformDevice) -> (any StudyServer)? { SchemaServer(device) }

    /// Any web address may serve a study, so a platform that recognises its own addresses comes first.
    package func claim(_ request: JoinRequest) -> PlatformClaim { request.isAddress ? .possible : .none }

    package func choices(_ arguments: PlatformArguments) throws -> StudyOptions { try SchemaOptions.choices(arguments) }
}
