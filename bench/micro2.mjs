import pg from 'pg'; import http from 'node:http'; import net from 'node:net';
import { createRequire } from 'node:module'; const require=createRequire(import.meta.url);
const { BufferReader } = require('../node_modules/pg-protocol/dist/buffer-reader.js');
const W="WHERE r.organization_id=$1 AND r.pipeline_id=$2", O="ORDER BY r.created_at DESC, r.id DESC";
const V=['00000000-0000-4000-8001-000100000000','00000000-0000-4000-8002-000100000001'];
const c=new pg.Client({connectionString:process.argv[2]}); await c.connect();
const texts={rows:`SELECT r.record FROM opportunities r ${W} ${O} LIMIT $3`, agg:`SELECT string_agg(record, ',') AS record FROM (SELECT r.record FROM opportunities r ${W} ${O} LIMIT $3) x`};
let mode='utf8', shape='rows', n=50;
const orig=BufferReader.prototype.string;
const srv=http.createServer((q,r)=>{ c.query({name:shape+n,text:texts[shape],values:[...V,n]}).then(({rows})=>{ const b='{"a":['+rows.map(x=>x.record).join(',')+']}';
 if(mode==='latin1'){ r.writeHead(200,{'Content-Length':b.length}); r.end(b,'latin1'); } else { r.writeHead(200,{'Content-Length':Buffer.byteLength(b)}); r.end(b);} }); });
await new Promise(r=>srv.listen(0,'127.0.0.1',r));
const s=await new Promise(res=>{const s=net.connect(srv.address().port,'127.0.0.1',()=>res(s));});
const req='GET / HTTP/1.1\r\nHost: x\r\n\r\n';
const batch=(k)=>new Promise((resolve)=>{ let left=k,need=0,buf=0; const on=(d)=>{ if(need===0){const t=d.toString('latin1',0,400); need=t.indexOf('\r\n\r\n')+4+Number(/Content-Length: (\d+)/i.exec(t)[1]); buf=0;} buf+=d.length; if(buf>=need){need=0; if(--left===0){s.off('data',on);resolve();} else s.write(req);} }; s.on('data',on); s.write(req); });
for (n of [50,500]) { const res={};
 for(let round=0;round<8;round++) for (shape of ['rows','agg']) for (mode of ['utf8','latin1']) {
  BufferReader.prototype.string = mode==='latin1'? function(l){ const r=this.buffer.latin1Slice(this.offset,this.offset+l); this.offset+=l; return r; } : orig;
  await batch(10); const k=n===50?300:60; const u=process.cpuUsage(); await batch(k); const d=process.cpuUsage(u); (res[shape+' '+mode]??=[]).push((d.user+d.system)/k/1000); }
 for(const k in res) console.log(n,k.padEnd(14),'node cpu min',Math.min(...res[k]).toFixed(3),'median',res[k].sort((a,b)=>a-b)[4].toFixed(3)); }
process.exit(0);
