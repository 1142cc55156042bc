// SPDX-License-Identifier: Apache-2.0
import Base

/// The frame that `PageRoutes` puts around every page: its header, its links, and what to do when nothing has
/// arrived.
struct Page {
    /// Names what is shown; nil = all participants.
    let title: String?
    /// Anyone who can reach this machine can read it.
    let isOpen: Bool
    let fault: Fault?
    /// This server's address, as the browser has reached it.
    let address: String
    let studies: [String]
    let links: [HTML]
    let query: LabQuery
    let now: Instant

    func html(_ content: HTML) -> HTML {
        let refresh: HTML = query.reload.map { "<meta http-equiv=\"refresh\" content=\"\($0)\">" } ?? .none
        return """
            <!doctype html><html lang="en"><head><meta charset="utf-8"><title>\(title.map { "\($0) – study-receiver" } ?? "study-receiver")</title>
            <meta name="viewport" content="width=device-width, initial-scale=1">\(refresh)
            <style>\(Self.style)</style></head><body>
            <a class="skip" href="#content">To the content</a><header><h1><a href="/">study-receiver</a></h1><nav class="links" aria-label="Main"><a href="/">participants</a> <a href="/changes">changes</a></nav><p class="at">\(address) · \(now.shown()) UTC\(
            reload)</p></header>
            \(openNote)\(faultNote)<main id="content">\(content)</main>
            <footer>JSON: <a href="/api/fleet">fleet</a> <a href="/api/missing">missing</a> <a href="/api/devices">devices</a> <a href="/api/records">records</a>
            <a href="/api/files">files</a> <a href="/api/refusals">refusals</a> <a href="/api/changes">changes</a>\(links)\(studyLinks)</footer></body></html>
            """
    }

    /// The link that makes a page reload itself. A participant's page has none: a reload would take away a note that
    /// is being written.
    private var reload: HTML {
        guard query.user == nil else { return .none }
        return query.reload == nil
            ? " · <a href=\"\(query.address { $0.reload = 10 })\">reload every 10 s</a>"
            : " · reloads every \(query.reload ?? 0) s, <a href=\"\(query.address { $0.reload = nil })\">stop</a>"
    }

    private var openNote: HTML {
        guard isOpen else { return .none }
        return """
            <p class="fault"><b>Anyone who can reach this machine can read this page and all data.</b>
            Start study-receiver with <code>--token-file FILE</code>, or without <code>--host</code>.</p>
            """
    }

    private var faultNote: HTML {
        guard let fault else { return .none }
        return """
            <p class="fault"><b>Simulated fault active: \(fault.description)</b>
            End it with <code>curl -X POST '\(address)/control/fault?mode=none'</code></p>
            """
    }

    private var studyLinks: HTML {
        guard !studies.isEmpty else { return .none }
        return " · studies: \(studies.map { "<a href=\"/study/\(Self.percentEncoded($0))\">\($0)</a> " as HTML })"
    }

    /// All that has arrived, summed up; without answers and log entries where rules decide in any study (`isBlinded`),
    /// since those would tell of prompts.
    static func tiles(_ totals: (devices: Int, all: DeviceSummary)?, isBlinded: Bool) -> HTML {
        let sum = totals?.all
        var tiles: [(one: String, many: String, count: Int)] = [("device", "devices", totals?.devices ?? 0)]
        if !isBlinded {
            tiles += [("answer", "answers", sum?.answers ?? 0), ("log entry", "log entries", sum?.logs ?? 0)]
        }
        tiles += [
            ("file", "files", sum?.files ?? 0), ("still arriving", "still arriving", sum?.partial ?? 0),
            ("duplicate", "duplicates", sum?.duplicates ?? 0),
        ]
        let items = tiles.map { "<div><dt>\($0.count == 1 ? $0.one : $0.many)<dd>\($0.count)</div>" as HTML }
        return "<dl class=\"tiles\">\(items)</dl>"
    }

    static func unknown(_ user: String) -> HTML {
        """
        <section class="card"><h2>\(user)</h2><p>No participant of that name has sent anything. <a href="/">All participants</a></p></section>
        """
    }

    static func empty(address: String) -> HTML {
        """
        <section class="card empty"><h2>Nothing has arrived yet</h2>
        <p>Point a device here, or try it by hand; then load this page again:</p>
        <h3>Answers and logs</h3>
        <pre tabindex="0">studyd enroll study.json --post-url \(address)/schema</pre>
        <pre tabindex="0">curl -F data_type=log -F user_id=ABDEG234 -F study_id=try -F module_index=-1 \\
          -F page=home -F event=entry -F timestamp=2026-05-08T23:16:21+10:00 \\
          -F timestamp_in_ms=1778246181000 -F platform=curl \(address)/schema</pre>
        <h3>Recordings</h3><p>Any tus 1.0.0 client, to <code>\(address)/files</code> with the metadata
        <code>filename</code>, <code>sha256</code>, <code>user_id</code> and <code>kind</code>.</p>
        <h3>Simulate a fault</h3><pre tabindex="0">curl -X POST '\(address)/control/fault?mode=lost:0.3'</pre></section>
        """
    }

    /// The text as it may be in a query item, or in one part of a path.
    static func percentEncoded(_ text: String) -> String {
        text.utf8.map { byte in
            let scalar = Unicode.Scalar(byte)
            let isPlain =
                scalar.isASCII
                && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil || byte == UInt8(ascii: "-"))
            return isPlain ? String(scalar) : "%" + [byte].hexadecimal
        }.joined()
    }

    private static let style: HTML = """
        :root{--bg:#f5f6f4;--card:#fff;--ink:#1d2421;--dim:#5c6661;--line:#dfe4e1;--a:#0b6e4f;--b:#2f6fb3;--c:#8a5a00;--bad:#b3261e;
        --warn:#fff4d6}
        @media(prefers-color-scheme:dark){:root{--bg:#131715;--card:#1c211f;--ink:#e6ebe8;--dim:#97a39d;--line:#303834;--a:#5cc9a0;
        --b:#7fb4ec;--c:#e2b456;--bad:#ff8a80;--warn:#3a3115}}
        *{box-sizing:border-box}body{margin:0;background:var(--bg);color:var(--ink);font:15px/1.45 system-ui,sans-serif}
        header,main,footer,.fault{max-width:1120px;margin:0 auto;padding:0 20px}
        header{padding-bottom:14px;display:flex;flex-wrap:wrap;align-items:baseline;gap:0 16px;padding-top:18px}
        h1{font-size:20px;margin:0}h1 a{color:inherit;text-decoration:none}.at{margin:0;color:var(--dim)}
        h2{font-size:18px;margin:0;overflow-wrap:anywhere}h3{font-size:13px;margin:22px 0 6px;color:var(--dim);font-weight:600}.skip{position:absolute;left:-999px}.skip:focus{left:8px;top:8px;background:var(--card);padding:6px 10px;z-index:1}
        a{color:var(--a)}code,pre,.mono{font-family:ui-monospace,monospace;font-size:13px}
        pre{background:var(--bg);padding:10px 12px;border-radius:6px;overflow-x:auto;margin:6px 0}
        .fault{background:var(--warn);padding:10px 20px;margin-bottom:14px;border-radius:8px}
        .tiles{display:flex;flex-wrap:wrap;gap:8px 34px;margin:2px 0 18px}.tiles div{display:flex;flex-direction:column-reverse}
        .tiles dd{margin:0;font-size:26px;line-height:1.1;font-variant-numeric:tabular-nums}.tiles dt{color:var(--dim);font-size:13px}
        .card{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:18px 20px;margin:0 0 18px}
        .top{display:flex;flex-wrap:wrap;gap:2px 14px;align-items:baseline}.top span{color:var(--dim)}
        .top .fresh{color:var(--a);font-weight:600}
        .facts{display:flex;flex-wrap:wrap;gap:4px 26px;margin:10px 0 0;padding:0;list-style:none}.facts b{font-variant-numeric:tabular-nums}
        .scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:14px}
        th{text-align:left;color:var(--dim);font-weight:500;font-size:12px;white-space:nowrap}
        th,td{padding:5px 14px 5px 0;border-bottom:1px solid var(--line);vertical-align:top}tr:last-child td,tr:last-child th[scope=row]{border-bottom:0}
        td{overflow-wrap:anywhere}td.t{white-space:nowrap;font-variant-numeric:tabular-nums}.n{text-align:right;font-variant-numeric:tabular-nums}
        .q{display:inline-block;margin:0 14px 2px 0}.q i{font-style:normal;color:var(--dim);font-family:ui-monospace,monospace;font-size:12px}
        .none{color:var(--dim)}.bad{color:var(--bad)}.tag{font-size:12px;border:1px solid currentColor;border-radius:9px;padding:0 7px;white-space:nowrap}
        .dup,.top .dup{color:var(--c)}.ok,.top .ok{color:var(--a)}.top .bad{color:var(--bad)}
        .sparks{display:grid;grid-template-columns:repeat(auto-fill,minmax(200px,1fr));gap:10px 22px}
        .sparks figure{margin:0}.sparks figcaption{display:flex;justify-content:space-between;gap:10px;font-size:12px;color:var(--dim)}
        .sparks figcaption code{font-size:12px;overflow-wrap:anywhere}.sparks b{color:var(--ink)}
        svg{display:block;width:100%;height:auto}svg text{fill:var(--dim);font:11px system-ui,sans-serif}
        svg.days{display:block;height:26px;max-width:100%;margin-left:auto}.key{display:inline-block;width:10px;height:10px;margin:0 2px 0 12px;background:var(--line)}
        .files td:first-child{min-width:180px}.files td a+a{margin-left:8px}.narrow{display:none}.key.a{background:var(--a)}.key.b{background:var(--b)}.key.c{background:var(--c)}.key.bad{background:var(--bad)}svg text.bad{fill:var(--bad)}
        .preview{width:340px;max-height:190px;object-fit:cover;object-position:top;border:1px solid var(--line);border-radius:4px;background:#fff}
        .bar{display:inline-block;width:90px;height:8px;border-radius:4px;background:var(--line);overflow:hidden;vertical-align:middle}
        .bar i{display:block;height:100%;background:var(--b)}
        a:focus-visible,button:focus-visible,input:focus-visible,select:focus-visible,textarea:focus-visible,.scroll:focus-visible,pre:focus-visible{outline:3px solid var(--b);outline-offset:2px}
        .links a,.links b{display:inline-block;margin-right:12px;padding:3px 0}.filters{display:flex;flex-wrap:wrap;gap:8px 16px;align-items:end;margin:10px 0}
        label{font-size:13px;color:var(--dim)}input,select,textarea,button{font:inherit;font-size:14px;color:var(--ink);background:var(--bg);border:1px solid var(--dim);border-radius:6px;padding:4px 8px;max-width:100%;min-height:30px}
        button{cursor:pointer;background:var(--card);border-color:var(--a);color:var(--a);font-weight:600}.danger{border-color:var(--bad);color:var(--bad)}
        .note{display:grid;gap:8px;margin:10px 0}.note label{display:grid;gap:2px}.note button{justify-self:start}.label{font-size:12px;background:var(--warn);border-radius:4px;padding:0 5px}
        .kinds{list-style:none;margin:0;padding:0}.lead tbody th{min-width:132px}.lead td small{display:inline-block;max-width:190px}tbody th{font-size:14px;font-weight:400;color:var(--ink);white-space:normal}tbody th b{font-weight:700}td.zero{color:var(--dim)}small{color:var(--dim);font-size:12px}
        .lanes{display:grid;gap:1px;font-size:12px}.lane{display:grid;grid-template-columns:110px minmax(0,1fr) 62px;gap:8px;align-items:center}.lane>span{color:var(--dim);overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
        .lane>span:last-child{text-align:right;font-variant-numeric:tabular-nums}.lane svg{height:14px;background:var(--bg)}.lane .tick{stroke:var(--line);stroke-width:1}
        .hours div{display:flex;justify-content:space-between;color:var(--dim)}.day{margin-top:6px;font-weight:600}
        .clock{display:grid;grid-template-columns:repeat(auto-fill,minmax(34px,1fr));gap:4px}.clock a{display:block;text-align:center;padding:4px 0;border:1px solid var(--line);border-radius:4px}
        .signal{margin:12px 0}.signal img{width:100%;background:#fff;border:1px solid var(--line);border-radius:4px}.signal figcaption{font-size:13px;color:var(--dim)}
        .urgent{margin:12px 0 0;padding-left:24px}.urgent>li{padding:3px 0;overflow-wrap:anywhere}.urgent ul{list-style:none;padding:0;margin:0}
        ul.problems{margin:0;padding:0;list-style:none;font-size:14px}.problems li{padding:4px 0;border-bottom:1px solid var(--line);overflow-wrap:anywhere}
        .problems li:last-child{border:0}footer{color:var(--dim);padding-bottom:30px;font-size:13px}footer a{margin-right:8px}
        @media(max-width:560px){header,main,footer{padding-left:10px;padding-right:10px}.card{padding:14px 12px}.tiles{gap:8px 22px}
        .tiles dd{font-size:21px}.wide{display:none}.narrow{display:inline}th,td{padding-right:9px}
        .lane{grid-template-columns:78px minmax(0,1fr) 46px;gap:5px}svg.days{margin-left:0}td.blank{display:none}.stack th[scope=row]{display:block;border:0;padding:1px 0}
        .late{direction:rtl}.late svg{direction:ltr;width:820px}
        .stack thead{display:none}.stack tr{display:block;padding:7px 0;border-bottom:1px solid var(--line)}
        .stack td[data-name]::before{content:attr(data-name) " ";color:var(--dim)}
        .lead td.n{display:inline-block;margin-right:14px;text-align:left}.preview{width:100%;max-height:none}
        .stack td{display:block;border:0;padding:1px 0;text-align:left}.stack td.t{display:inline-block;margin-right:14px;color:var(--dim)}}
        """
}

extension Instant {
    /// How long before this an earlier moment was: `now`, `40 s ago`, `3 min ago`, `2 days ago`.
    package func ago(_ earlier: Instant) -> String {
        let seconds = (self - earlier).components.seconds
        return switch seconds {
        case ..<2: "now"
        case ..<120: "\(seconds) s ago"
        case ..<7200: "\(seconds / 60) min ago"
        case ..<172_800: "\(seconds / 3600) h ago"
        default: "\(Plural.of(Int(seconds / 86_400), "day")) ago"
        }
    }
}

extension Duration {
    /// `8 s`, `3 min 20 s`, `2 h 5 min`.
    var shown: String {
        let seconds = components.seconds
        return switch seconds {
        case ..<120: "\(seconds) s"
        case ..<7200: "\(seconds / 60) min \(seconds % 60) s"
        default: "\(seconds / 3600) h \(seconds / 60 % 60) min"
        }
    }
}
